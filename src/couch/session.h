/* session: the headers that requests carry, and the cookie session behind them where one is used.
 *
 * A session is renewed at half its life (CouchDB: 10 minutes), by a request put on the engine when
 * headers are asked for, so that nobody waits for it. Headers handed out stay valid until
 * session_close: requests may be in flight with the old ones. */
#ifndef COUCH_SESSION_H
#define COUCH_SESSION_H

#include "base/err.h"
#include "couch/auth.h"
#include "net/http.h"

struct session;

/* `auth` is borrowed. Does not talk to the server. */
struct session *session_new(struct http *http, const char *url, const struct auth *auth);

/* Opens the cookie session (nothing to do for other kinds). ERR_AUTH if it is refused. */
int session_login(struct session *s, struct err *err);

/* Ends it at the server, as far as that answers, and frees. NULL is fine. */
void session_close(struct session *s);

/* Headers with this Content-Type and Accept. */
const struct http_headers *session_headers(struct session *s, const char *content_type,
                                           const char *accept);

/* A reply's Set-Cookie lines: CouchDB sends a fresh cookie when the old one is about to end. */
void session_saw(struct session *s, const struct http_reply *reply);

#endif
