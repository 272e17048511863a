/* auth: who we are to a server, and the only place where secrets live. Nothing here is ever
 * printed; auth_describe says which kind is used, without the secret. */
#ifndef COUCH_AUTH_H
#define COUCH_AUTH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/http.h"

enum auth_kind { AUTH_NONE, AUTH_BASIC, AUTH_COOKIE, AUTH_BEARER };

struct auth {
    enum auth_kind kind;
    char *user;
    char *secret; /* password or token; wiped before it is freed */
};

/* Where they may come from, first that is given: user + password file, URL, environment
 * (TUNECOUCH_USER, TUNECOUCH_PASSWORD, TUNECOUCH_TOKEN), netrc (~/.netrc or NETRC). */
struct auth_sources {
    const char *user;          /* --user; NULL */
    const char *password_file; /* --password-file: first line; "-" is standard input */
    const char *token_file;    /* --token-file */
    const char *netrc_file;    /* --netrc-file; NULL: ~/.netrc if it is there */
    bool prompt;               /* ask on the terminal if a user has no password */
    bool cookie;               /* --auth cookie */
};

/* Takes credentials out of `url` (decoded) and gives the rest without them; the caller frees
 * *clean. ERR_USAGE if it is not an http(s) URL with a host. */
int auth_from_url(const char *url, char **clean, char **user, char **password, struct err *err);

/* Fills `out` for the (already clean) URL; url_user and url_password may be NULL. */
int auth_find(const struct auth_sources *from, const char *clean_url, const char *url_user,
              const char *url_password, struct auth *out, struct err *err);
void auth_free(struct auth *a);

/* "Authorization: …" appended to the headers (Basic, Bearer). Cookies are couch's business. */
void auth_header(const struct auth *a, struct http_headers *headers);
const char *auth_describe(const struct auth *a); /* "none", "basic", "cookie", "bearer token" */

#endif
