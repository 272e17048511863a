#include "net/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/http_engine.h"

/* libcurl invents a Content-Type for a body (a form's) unless the list names or removes it, so the
 * removal stands before the list until a Content-Type is added. "Expect:" is removed always: the
 * wait for "100 Continue" costs up to a second. */
struct http_headers {
    struct curl_slist untyped; /* "Content-Type:" -> list */
    struct curl_slist *list;   /* "Expect:" -> what was added */
    struct curl_slist *whole;  /* &untyped, or list once that has a Content-Type */
};

static char no_type[] = "Content-Type:";

struct http_headers *http_headers_new(void)
{
    struct http_headers *h = mem_zero(1, sizeof *h);
    h->list = mem_checked(curl_slist_append(NULL, "Expect:"));
    h->untyped.data = no_type;
    h->untyped.next = h->list;
    h->whole = &h->untyped;
    return h;
}

struct http_headers *http_headers_copy(const struct http_headers *h)
{
    struct http_headers *copy = http_headers_new();
    for (const struct curl_slist *l = h->list->next; l != NULL; l = l->next) {
        http_headers_add(copy, l->data);
    }
    return copy;
}

void http_headers_add(struct http_headers *h, const char *line)
{
    h->list = mem_checked(curl_slist_append(h->list, line));
    if (strncasecmp(line, no_type, sizeof no_type - 1) == 0) {
        h->whole = h->list;
    }
}

void http_headers_free(struct http_headers *h)
{
    if (h != NULL) {
        curl_slist_free_all(h->list);
        free(h);
    }
}

struct curl_slist *http_headers_list(const struct http_headers *h, bool with_body)
{
    return with_body ? h->whole : h->list->next;
}

/* The value of "Name: value\r\n" without white space around it, if the line has that name. */
static const char *value_of(const char *line, size_t n, const char *name, size_t *len)
{
    size_t name_len = strlen(name);
    if (n <= name_len || line[name_len] != ':' || strncasecmp(line, name, name_len) != 0) {
        return NULL;
    }
    const char *at = line + name_len + 1, *end = line + n;
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    while (end > at && (end[-1] == '\r' || end[-1] == '\n' || end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    *len = (size_t)(end - at);
    return at;
}

static void keep(char *out, size_t size, const char *line, size_t n, const char *name)
{
    size_t len;
    const char *value = value_of(line, n, name, &len);
    if (value != NULL) {
        len = len < size ? len : size - 1;
        memcpy(out, value, len);
        out[len] = '\0';
    }
}

/* Several cookies are kept one a line. */
static void keep_cookie(struct http_reply *reply, const char *line, size_t n)
{
    size_t len, used = strlen(reply->set_cookie);
    const char *value = value_of(line, n, "Set-Cookie", &len);
    if (value != NULL && used + len + 2 < sizeof reply->set_cookie) {
        snprintf(reply->set_cookie + used, sizeof reply->set_cookie - used, "%s%.*s",
                 used ? "\n" : "", (int)len, value);
    }
}

static void keep_retry_after(struct http_reply *reply, const char *line, size_t n)
{
    char text[64] = "";
    keep(text, sizeof text, line, n, "Retry-After");
    double seconds;
    if (text_parse_double(text, &seconds, NULL) == 0 && seconds >= 0) {
        reply->retry_after_s = seconds;
        return;
    }
    time_t date = text[0] != '\0' ? curl_getdate(text, NULL) : -1;
    if (date != -1) {
        double left = difftime(date, time(NULL));
        reply->retry_after_s = left > 0 ? left : 0;
    }
}

static void status_line(struct http_reply *reply, const char *line, size_t n)
{
    /* An interim answer (1xx) or an earlier one comes first at times: the last counts. */
    reply->server[0] = reply->content_type[0] = reply->location[0] = '\0';
    reply->etag[0] = reply->set_cookie[0] = '\0';
    reply->retry_after_s = -1;
    reply->status = 0;
    reply->http_version = 0;
    if (line[6] == '.') {
        reply->http_version = (line[5] - '0') * 10 + (line[7] - '0');
    } else {
        reply->http_version = (line[5] - '0') * 10;
    }
    const char *space = memchr(line, ' ', n);
    if (space != NULL && line + n - space > 3) {
        for (int i = 1; i <= 3 && space[i] >= '0' && space[i] <= '9'; i++) {
            reply->status = reply->status * 10 + (space[i] - '0');
        }
    }
}

/* Runs for every line of every answer: the first letter decides before any comparison. */
void http_header_line(struct http_reply *reply, const char *line, size_t n)
{
    if (n < 4) {
        return;
    }
    switch (line[0] | 0x20) {
    case 'h':
        if (n > 9 && memcmp(line, "HTTP/", 5) == 0) {
            status_line(reply, line, n);
        }
        break;
    case 's':
        keep(reply->server, sizeof reply->server, line, n, "Server");
        keep_cookie(reply, line, n);
        break;
    case 'c':
        keep(reply->content_type, sizeof reply->content_type, line, n, "Content-Type");
        break;
    case 'l':
        keep(reply->location, sizeof reply->location, line, n, "Location");
        break;
    case 'e':
        keep(reply->etag, sizeof reply->etag, line, n, "ETag");
        break;
    case 'r':
        keep_retry_after(reply, line, n);
        break;
    default:
        break;
    }
}
