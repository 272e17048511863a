#include "net/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "base/mem.h"
#include "net/http_engine.h"

/* An answer's buffer up to this size stays with its slot for the next one. */
#define BODY_KEPT ((size_t)1 << 20)

/* libcurl closes idle connections after 118 s unless told otherwise: a benchmark's pauses (a view
 * being built) are longer, and a new connection is not part of a request. */
#define IDLE_MAX_S 3600L

/* libcurl's own limit for connecting, when none is set. */
#define LIBCURL_CONNECT_LIMIT_NS (300 * (uint64_t)1000000000)

/* Measured: answers of many megabytes gain nothing from more; each request in flight has one. */
#define RECEIVE_BUFFER (64L << 10)
#define UPLOAD_BUFFER (256L << 10)

/* ---- libcurl's callbacks: they record, and call nothing of the multi interface ---- */

static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
    struct slot *s = arg;
    n *= size;
    if (s->header_bytes == 0) {
        s->reply.first_byte_ns = uv_hrtime() - s->reply.start_ns;
    }
    s->header_bytes += n;
    if (s->header_bytes > HTTP_HEADERS_MAX) {
        s->too_large = true;
        return 0;
    }
    http_header_line(&s->reply, line, n);
    return n;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *arg)
{
    struct slot *s = arg;
    n *= size;
    s->body_bytes += n;
    if (s->job.request.sink != NULL && s->reply.status / 100 == 2) {
        if (s->job.request.sink(s->job.request.arg, bytes, n) != 0) {
            s->sink_stopped = true;
            return 0;
        }
        return n;
    }
    if (buf_add(&s->reply.body, bytes, n) < 0) {
        s->too_large = true;
        return 0;
    }
    return n;
}

static size_t on_read(char *out, size_t size, size_t n, void *arg)
{
    struct slot *s = arg;
    const struct http_request *r = &s->job.request;
    uint64_t left = r->body_len - s->read_offset;
    n *= size;
    if (n > left) {
        n = (size_t)left;
    }
    if (n == 0) {
        return 0;
    }
    if (r->read == NULL) {
        memcpy(out, (const char *)r->body + s->read_offset, n);
    } else {
        n = r->read(r->arg, s->read_offset, out, n);
        if (n == 0) { /* shorter than promised: the Content-Length cannot be kept */
            return CURL_READFUNC_ABORT;
        }
    }
    s->read_offset += n;
    return n;
}

static int on_seek(void *arg, curl_off_t offset, int origin)
{
    struct slot *s = arg;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > s->job.request.body_len) {
        return CURL_SEEKFUNC_FAIL;
    }
    s->read_offset = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

static uint64_t info_u64(CURL *easy, CURLINFO info)
{
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value > 0 ? (uint64_t)value : 0;
}

static uint64_t request_size(CURL *easy)
{
    long value = 0;
    curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &value);
    return value > 0 ? (uint64_t)value : 0;
}

/* Called when a connection is there, just before the request is written: from here on the server
 * may act. A second call means that libcurl found the pooled connection dead and is about to send
 * the request again, POST as well. We let it pass only if that cannot do the work twice. */
static int on_prerequest(void *arg, char *ip, char *local_ip, int port, int local_port)
{
    (void)ip, (void)local_ip, (void)port, (void)local_port;
    struct slot *s = arg;
    if (s->begun) {
        enum http_method m = s->job.request.method;
        if (m != HTTP_GET && m != HTTP_HEAD && request_size(s->easy) != 0) {
            s->refused = true;
            return CURL_PREREQFUNC_ABORT;
        }
        s->resent = true;
    }
    s->begun = true;
    return CURL_PREREQFUNC_OK;
}

/* ---- options ---- */

static void set_tls(CURL *e, const struct http_config *c)
{
    if (c->ca_file != NULL) {
        curl_easy_setopt(e, CURLOPT_CAINFO, c->ca_file);
    }
    if (c->client_cert != NULL) {
        curl_easy_setopt(e, CURLOPT_SSLCERT, c->client_cert);
    }
    if (c->client_key != NULL) {
        curl_easy_setopt(e, CURLOPT_SSLKEY, c->client_key);
    }
    if (c->insecure) {
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

/* Everything that is the same for all requests of an engine; strings are copied by libcurl. No
 * timeout of libcurl's is set: each would be a timer a request, and they can fail to fire. */
int http_slot_init(struct slot *s, struct http *h, const struct http_config *c)
{
    CURL *e = s->easy = curl_easy_init();
    s->parsed = curl_url();
    if (e == NULL || s->parsed == NULL) {
        return -1;
    }
    s->http = h;
    s->shape = -1;
    buf_init(&s->url, BUF_TEXT_MAX);
    buf_init(&s->reply.body, h->reply_max);
    curl_easy_setopt(e, CURLOPT_PRIVATE, s);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, 1L);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, s->error);
    curl_easy_setopt(e, CURLOPT_USERAGENT,
                     c->user_agent ? c->user_agent : PACKAGE_NAME "/" PACKAGE_VERSION);
    /* A proxy named in the environment would be measured instead of the server. */
    curl_easy_setopt(e, CURLOPT_PROXY, c->proxy ? c->proxy : "");
    if (!h->proxied) { /* spares a search of the environment for each request */
        curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
    }
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L); /* a 3xx is an answer */
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION,
                     c->http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(e, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, IDLE_MAX_S);
    curl_easy_setopt(e, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
    curl_easy_setopt(e, CURLOPT_BUFFERSIZE, RECEIVE_BUFFER);
    curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, s);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(e, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(e, CURLOPT_READDATA, s);
    curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(e, CURLOPT_SEEKDATA, s);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_prerequest);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, s);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, http_open_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, h);
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION, http_close_socket);
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETDATA, h);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(e, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a resolver that hangs */
#endif
    if (h->connect_timeout_ns > LIBCURL_CONNECT_LIMIT_NS) {
        curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)(h->connect_timeout_ns / 1000000));
    }
    set_tls(e, c);
    return 0;
}

void http_slot_free(struct slot *s)
{
    curl_easy_cleanup(s->easy);
    curl_url_cleanup(s->parsed);
    buf_free(&s->url);
    buf_free(&s->reply.body);
}

enum body_kind { BODY_NONE, BODY_JOINED, BODY_READ };

static enum body_kind body_kind(const struct http_request *r)
{
    if (r->body_len > HTTP_JOINED_MAX || (r->read != NULL && r->body_len > 0)) {
        return BODY_READ;
    }
    bool has_body = r->body_len > 0 || r->method == HTTP_POST || r->method == HTTP_PUT ||
                    r->method == HTTP_PATCH;
    return has_body ? BODY_JOINED : BODY_NONE;
}

/* The options that stick from one request to the next: all are set back, then those of this method
 * and kind of body are set. Needed only when a slot changes what it does. */
static void reshape(struct slot *s, enum http_method method, enum body_kind kind)
{
    CURL *e = s->easy;
    curl_easy_setopt(e, CURLOPT_UPLOAD, 0L);
    curl_easy_setopt(e, CURLOPT_NOBODY, 0L);
    curl_easy_setopt(e, CURLOPT_POSTFIELDS, NULL);
    curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)-1);
    curl_easy_setopt(e, CURLOPT_INFILESIZE_LARGE, (curl_off_t)-1);
    curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
    if (kind == BODY_READ) {
        curl_easy_setopt(e, CURLOPT_UPLOAD, 1L);
    } else if (kind == BODY_JOINED) {
        curl_easy_setopt(e, CURLOPT_POST, 1L);
    } else if (method == HTTP_HEAD) {
        curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
    }
    bool plain = (kind == BODY_NONE && (method == HTTP_GET || method == HTTP_HEAD)) ||
                 (kind == BODY_JOINED && method == HTTP_POST);
    curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, plain ? NULL : http_method_name(method));
}

/* Without a parsed URL libcurl parses the text, prints it anew and takes it apart again for every
 * request: a sixth of all its instructions for a small one. The text is set as well: it is what
 * libcurl goes by when it sends a request again. */
static void aim(struct slot *s, const char *url)
{
    size_t n = strlen(url);
    if (s->url.len == n && memcmp(buf_text(&s->url), url, n) == 0) {
        return;
    }
    buf_clear(&s->url);
    buf_add(&s->url, url, n); /* kept in the slot: no allocation once it has grown */
    bool whole = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
    whole = whole && curl_url_set(s->parsed, CURLUPART_URL, url, 0) == CURLUE_OK;
    curl_easy_setopt(s->easy, CURLOPT_CURLU, whole ? s->parsed : NULL); /* else it says why */
    curl_easy_setopt(s->easy, CURLOPT_URL, url);
}

static void arm(struct slot *s)
{
    struct http *h = s->http;
    const struct http_request *r = &s->job.request;
    enum body_kind kind = body_kind(r);
    int shape = (int)r->method * 4 + (int)kind;
    if (s->shape != shape) {
        reshape(s, r->method, kind);
        s->shape = shape;
    }
    /* Borrowed until `done`: libcurl keeps the pointers. */
    if (kind == BODY_JOINED) {
        curl_easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_len);
        curl_easy_setopt(s->easy, CURLOPT_POSTFIELDS, r->body_len > 0 ? r->body : "");
    } else if (kind == BODY_READ) {
        curl_easy_setopt(s->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->body_len);
    }
    if (s->fresh != r->fresh) {
        s->fresh = r->fresh;
        curl_easy_setopt(s->easy, CURLOPT_FRESH_CONNECT, r->fresh ? 1L : 0L);
    }
    curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER,
                     http_headers_list(r->headers ? r->headers : h->no_headers, kind != BODY_NONE));
    aim(s, r->url);

    s->read_offset = 0;
    s->header_bytes = s->body_bytes = 0;
    s->begun = s->resent = s->refused = s->too_large = s->sink_stopped = false;
    s->error[0] = '\0';
}

static void clear_reply(struct http_reply *reply, size_t max)
{
    struct buf body = reply->body;
    *reply = (struct http_reply){.retry_after_s = -1};
    body.max = max;
    reply->body = body;
    buf_clear(&reply->body);
}

void http_slot_start(struct http *h, const struct job *job)
{
    struct slot *s = h->free_slots;
    h->free_slots = s->next_free;
    s->busy = true;
    h->in_flight++;
    s->job = *job;

    const struct http_request *r = &s->job.request;
    clear_reply(&s->reply, r->reply_max ? r->reply_max : h->reply_max);
    arm(s);
    s->reply.submit_ns = job->submit_ns;
    s->reply.start_ns = uv_hrtime();
    s->deadline_ns = s->reply.start_ns + (r->timeout_ns ? r->timeout_ns : h->timeout_ns);
    s->connect_deadline_ns = s->reply.start_ns + h->connect_timeout_ns;
    http_deadline(h, s->deadline_ns < s->connect_deadline_ns ? s->deadline_ns
                                                             : s->connect_deadline_ns);
    CURLMcode rc = curl_multi_add_handle(h->multi, s->easy);
    if (rc != CURLM_OK) {
        snprintf(s->error, sizeof s->error, "%s", curl_multi_strerror(rc));
        http_slot_end(s, END_ENGINE, CURLE_FAILED_INIT);
    }
}

/* ---- the end ---- */

static enum http_outcome judge(const struct slot *s, enum slot_end end, CURLcode code)
{
    if (end == END_CANCEL || s->sink_stopped) {
        return HTTP_CANCELLED;
    }
    if (end == END_DEADLINE) {
        return HTTP_TIMEOUT;
    }
    if (s->too_large) {
        return HTTP_TOO_LARGE;
    }
    if (end == END_BY_CURL && code == CURLE_OK) {
        return HTTP_ANSWERED;
    }
    return s->begun && s->reply.sent_bytes > 0 ? HTTP_BROKEN : HTTP_UNSENT;
}

static void explain(struct slot *s, enum slot_end end, CURLcode code)
{
    struct http_reply *reply = &s->reply;
    const char *own = NULL;
    if (reply->outcome == HTTP_ANSWERED) {
        return;
    }
    if (end == END_CANCEL) {
        own = "cancelled";
    } else if (s->sink_stopped) {
        own = "stopped by the reader of the answer";
    } else if (end == END_DEADLINE) {
        own = s->begun ? "no whole answer within the time limit"
                       : "no connection within the time limit";
    } else if (end == END_CONNECT_DEADLINE) {
        own = "no connection within the time limit for connecting";
    } else if (s->refused) {
        own = "the kept connection broke before any answer; not sent again, since it may have "
              "arrived";
    } else if (s->header_bytes > HTTP_HEADERS_MAX) {
        own = "the answer's headers are too long";
    } else if (s->too_large) {
        own = "the answer is longer than allowed";
    } else if (s->error[0] == '\0') {
        own = curl_easy_strerror(code);
    }
    snprintf(reply->error, sizeof reply->error, "%s", own ? own : s->error);
}

static void take_figures(struct slot *s)
{
    struct http_reply *reply = &s->reply;
    CURL *e = s->easy;
    /* What was written together with the headers is in the request's size already. */
    reply->sent_bytes = request_size(e);
    if (s->shape % 4 == BODY_READ || (s->shape % 4 == BODY_JOINED && reply->http_version >= 20)) {
        reply->sent_bytes += info_u64(e, CURLINFO_SIZE_UPLOAD_T);
    }
    reply->received_bytes = s->header_bytes + s->body_bytes;
    long connects = 0;
    if (s->begun) {
        curl_easy_getinfo(e, CURLINFO_NUM_CONNECTS, &connects);
    }
    reply->connections = connects > 0 ? (unsigned)connects : 0;
    reply->resent = s->resent;
    if (reply->connections != 0) {
        reply->connect_ns = info_u64(e, CURLINFO_CONNECT_TIME_T) * 1000;
        reply->tls_ns = info_u64(e, CURLINFO_APPCONNECT_TIME_T) * 1000;
    }
}

void http_slot_end(struct slot *s, enum slot_end end, CURLcode code)
{
    struct http *h = s->http;
    struct http_reply *reply = &s->reply;
    reply->end_ns = uv_hrtime();
    take_figures(s);
    reply->outcome = judge(s, end, code);
    explain(s, end, code);
    curl_multi_remove_handle(h->multi, s->easy);

    h->counters.requests++;
    h->counters.connections += reply->connections;
    h->counters.sent_bytes += reply->sent_bytes;
    h->counters.received_bytes += reply->received_bytes;
    h->in_flight--;
    s->busy = false;

    if (s->job.request.done != NULL) {
        s->job.request.done(s->job.done_arg, reply);
    }
    if (reply->body.cap > BODY_KEPT) {
        buf_free(&reply->body);
    }
    s->next_free = h->free_slots;
    h->free_slots = s;
}

void http_job_cancel(struct http *h, const struct job *job)
{
    struct http_reply reply = {.outcome = HTTP_CANCELLED, .retry_after_s = -1};
    snprintf(reply.error, sizeof reply.error, "cancelled");
    reply.submit_ns = job->submit_ns;
    reply.start_ns = reply.end_ns = uv_hrtime();
    h->counters.requests++;
    if (job->request.done != NULL) {
        job->request.done(job->done_arg, &reply);
    }
    buf_free(&reply.body);
}
