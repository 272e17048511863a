#include "cli/server_args.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define AT(member) offsetof(struct server_args, member)

static const char *const auth_names[] = {"basic", "cookie", NULL};

const struct opt server_options[] = {
    {"user", 'u', OPT_TEXT, AT(user), NULL, 0, 0, NULL, "NAME",
     "User. Default: TUNECOUCH_USER, then the URL, then netrc.", 0},
    {"password-file", 'p', OPT_TEXT, AT(password_file), NULL, 0, 0, NULL, "FILE",
     "File whose first line is the password (- for standard input). Else TUNECOUCH_PASSWORD, the "
     "URL, netrc, or a question on the terminal. Never printed.",
     0},
    {"token-file", 0, OPT_TEXT, AT(token_file), NULL, 0, 0, NULL, "FILE",
     "File whose first line is a bearer token (JWT). Else TUNECOUCH_TOKEN.", 0},
    {"netrc-file", 0, OPT_TEXT, AT(netrc_file), NULL, 0, 0, NULL, "FILE",
     "Default: NETRC, then ~/.netrc.", 0},
    {"auth", 0, OPT_CHOICE, AT(auth), "basic", 0, 0, auth_names, "KIND",
     "How a user and password are sent: with each request, or once for a session cookie.", 0},
    {"admin-url", 0, OPT_TEXT, AT(admin_url), NULL, 0, 0, NULL, "URL",
     "Sync Gateway's admin port, where its views are.", 0},
    {"cacert", 0, OPT_TEXT, AT(cacert), NULL, 0, 0, NULL, "FILE",
     "Certificate authorities to trust, PEM.", 0},
    {"cert", 0, OPT_TEXT, AT(cert), NULL, 0, 0, NULL, "FILE", "Client certificate, PEM.", 0},
    {"key", 0, OPT_TEXT, AT(key), NULL, 0, 0, NULL, "FILE", "Its private key, PEM.", 0},
    {"insecure", 'k', OPT_FLAG, AT(insecure), NULL, 0, 0, NULL, NULL,
     "Do not verify the server's certificate; the result is marked.", 0},
    {"http2", 0, OPT_FLAG, AT(http2), NULL, 0, 0, NULL, NULL,
     "Ask for HTTP/2 (over TLS); used if the server offers it.", 0},
    {"proxy", 0, OPT_TEXT, AT(proxy), NULL, 0, 0, NULL, "URL",
     "HTTP proxy; the environment's is never used.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

/* "http://db1:5984/x" -> "db1:5984/x" */
static char *key_of(const char *url)
{
    const char *host = strstr(url, "://");
    return mem_strdup(host != NULL ? host + 3 : url);
}

int server_args_resolve(const struct server_args *args, const char *url, bool dry,
                        struct server_spec *out, struct err *err)
{
    char *user = NULL, *password = NULL;
    memset(out, 0, sizeof *out);
    struct auth_sources from = {
        .user = args->user,
        .password_file = args->password_file,
        .token_file = args->token_file,
        .netrc_file = args->netrc_file,
        .prompt = isatty(STDIN_FILENO) && isatty(STDERR_FILENO),
        .cookie = args->auth == 1,
    };
    int rc = auth_from_url(url, &out->url, &user, &password, err);
    if (rc == 0 && !dry) {
        rc = auth_find(&from, out->url, user, password, &out->auth, err);
    }
    if (rc == 0 && args->admin_url != NULL) {
        char *admin_user = NULL, *admin_password = NULL;
        rc = auth_from_url(args->admin_url, &out->admin_url, &admin_user, &admin_password, err);
        if (rc == 0 && admin_user != NULL) {
            rc = err_set(err, ERR_USAGE,
                         "--admin-url: credentials belong in the first URL, the "
                         "password file or the environment");
        }
        if (admin_password != NULL) {
            explicit_bzero(admin_password, strlen(admin_password));
        }
        free(admin_user);
        free(admin_password);
    }
    if (rc == 0) {
        out->key = key_of(out->url);
        out->ca_file = mem_strdup(args->cacert);
        out->client_cert = mem_strdup(args->cert);
        out->client_key = mem_strdup(args->key);
        out->proxy = mem_strdup(args->proxy);
        out->insecure = args->insecure;
        out->http2 = args->http2;
    } else {
        server_spec_free(out);
        memset(out, 0, sizeof *out);
    }
    if (password != NULL) {
        explicit_bzero(password, strlen(password));
    }
    free(password);
    free(user);
    return rc;
}
