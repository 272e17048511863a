#include "couch/couch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/text.h"
#include "couch/couch_private.h"

/* What to do about it, where that is known; "" otherwise. */
static const char *advice(const struct couch *c, int status, const char *error, const char *reason)
{
    switch (status) {
    case 401:
    case 403:
        return c->auth.kind == AUTH_NONE ? " (no credentials were given)"
                                         : " (this user may not, or the password is wrong)";
    case 411:
        return " (a proxy in between wants a Content-Length)";
    case 412:
        return "";
    case 413:
        return " (larger than the server or a proxy takes: use smaller batches)";
    case 415:
        return " (is a proxy changing the Content-Type?)";
    case 429:
        return " (the server limits how often we may ask)";
    case 502:
    case 503:
    case 504:
        return strstr(error, "index service") != NULL ? "" : " (overloaded, starting or stopping?)";
    default:
        break;
    }
    if (strcasestr(error, "enospc") != NULL || strcasestr(reason, "enospc") != NULL) {
        return " (the server's disk is full)";
    }
    return "";
}

/* Space runs become one space; tags go. Enough to make one line of an error page. */
static void plain_text(struct buf *out, const char *s, size_t n, bool html)
{
    bool tag = false;
    for (size_t i = 0; i < n && out->len < 160; i++) {
        unsigned char b = (unsigned char)s[i];
        if (html && b == '<') {
            tag = true;
        } else if (html && tag) {
            tag = b != '>';
            b = ' ';
        }
        if (tag || isspace(b)) {
            if (out->len > 0 && out->data[out->len - 1] != ' ') {
                buf_addc(out, ' ');
            }
        } else {
            buf_addc(out, b != '\0' ? (char)b : '?');
        }
    }
    if (n > 0 && out->len >= 160) {
        buf_adds(out, "...");
    }
}

/* The body in a few words: the server's own reason, or what kind of page it is. */
static void describe(const struct http_reply *r, char *error, size_t error_size, char *reason,
                     size_t reason_size)
{
    struct buf text = BUF_INIT(400);
    cJSON *json = NULL;
    error[0] = reason[0] = '\0';
    if (r->body.len == 0) {
        text_visible(reason, reason_size, "an empty answer");
        return;
    }
    if (r->body.len <= 65536) {
        json = json_parse(r->body.data, r->body.len, NULL);
    }
    if (cJSON_IsObject(json)) {
        couch_visible(error, error_size, json, "error");
        couch_visible(reason, reason_size, json, "reason");
        if (*reason == '\0') {
            couch_visible(reason, reason_size, json, "message"); /* PouchDB's own errors */
        }
    } else {
        bool html = strncasecmp(r->content_type, "text/html", 9) == 0 ||
                    memmem(r->body.data, r->body.len < 512 ? r->body.len : 512, "<html", 5) != NULL;
        const char *from = r->body.data;
        size_t n = r->body.len < 4096 ? r->body.len : 4096;
        const char *title = html ? memmem(from, n, "<title>", 7) : NULL;
        const char *end =
            title != NULL ? memmem(title, n - (size_t)(title - from), "</title>", 8) : NULL;
        if (end != NULL) {
            from = title + 7;
            n = (size_t)(end - from);
        }
        plain_text(&text, from, n, html);
        char shown[200];
        text_visible(shown, sizeof shown, buf_text(&text));
        snprintf(reason, reason_size, "%s: \"%s\"", html ? "an HTML page" : "no JSON", shown);
    }
    cJSON_Delete(json);
    buf_free(&text);
}

int couch_explain(const struct couch *c, enum http_method method, const char *url,
                  const struct http_reply *reply, struct err *err)
{
    char error[100], reason[320], where[260];
    const char *name = http_method_name(method);
    text_visible(where, sizeof where, url);
    if (reply->outcome != HTTP_ANSWERED) {
        char why[sizeof reply->error + 60];
        text_visible(why, sizeof why, reply->error);
        switch (reply->outcome) {
        case HTTP_UNSENT:
            return err_set(err, ERR_UNREACHABLE, "%s %s: not sent: %s", name, where, why);
        case HTTP_CANCELLED:
            return err_set(err, stop_wanted() ? ERR_INTERRUPTED : ERR_STEP, "%s %s: stopped", name,
                           where);
        default:
            return err_set(err, ERR_STEP, "%s %s: %s%s%s", name, where,
                           http_outcome_name(reply->outcome), *why != '\0' ? ": " : "", why);
        }
    }
    describe(reply, error, sizeof error, reason, sizeof reason);
    if (reply->status >= 300 && reply->status <= 399 && reply->location[0] != '\0') {
        char location[200];
        text_visible(location, sizeof location, reply->location);
        snprintf(reason, sizeof reason, "redirects to %s, which is not followed", location);
    }
    enum err_kind kind = reply->status == 401 || reply->status == 403 ? ERR_AUTH : ERR_STEP;
    return err_set(err, kind, "%s %s: %d%s%s%s%s%s", name, where, reply->status,
                   *error != '\0' ? " " : "", error, *reason != '\0' ? ": " : "", reason,
                   advice(c, reply->status, error, reason));
}
