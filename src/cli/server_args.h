/* server_args: how a server is reached, as options: shared by every command that talks to one. */
#ifndef CLI_SERVER_ARGS_H
#define CLI_SERVER_ARGS_H

#include <stdbool.h>

#include "base/option.h"
#include "bench/spec.h"

struct server_args {
    char *user, *password_file, *token_file, *netrc_file;
    int auth; /* 0 basic, 1 cookie */
    char *admin_url;
    char *cacert, *cert, *key, *proxy;
    bool insecure, http2;
};

extern const struct opt server_options[];

/* One server from its URL (credentials in it are taken out). `dry`: no others are read or asked
 * for, since nothing will be sent. Free with server_spec_free. */
int server_args_resolve(const struct server_args *args, const char *url, bool dry,
                        struct server_spec *out, struct err *err);

#endif
