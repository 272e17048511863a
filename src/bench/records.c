#include "bench/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/text.h"

#define CHUNK ((size_t)256 << 10) /* bytes a read asks for */

struct records {
    char *path;
    int fd;
    struct stat st; /* of the file when it was opened */
    size_t longest; /* bytes a record may have */
    char *data;     /* longest + CHUNK bytes, of which [start, end) are not yet taken */
    size_t start, end;
    bool read_on;    /* also after a stop was asked for */
    bool eof;        /* the file has no more bytes */
    bool array;      /* elements of an array, not lines */
    bool done;       /* array: its closing bracket was seen */
    bool after;      /* array: a comma was just seen, so an element must follow */
    uint64_t line;   /* of data[start], from 1 */
    uint64_t at;     /* line on which the latest record begins */
    uint64_t number; /* of the latest record, from 1 */
    void (*chunk)(void *arg, const void *bytes, size_t n);
    void *arg;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins(const struct records *r, const char *with, size_t n)
{
    return r->end - r->start >= n && memcmp(r->data + r->start, with, n) == 0;
}

const char *records_where(const struct records *r, char *out, size_t size)
{
    char shown[512];
    text_visible(shown, sizeof shown, r->path);
    if (r->array) {
        snprintf(out, size, "%s:%llu: element %llu", shown, (unsigned long long)r->at,
                 (unsigned long long)r->number);
    } else {
        snprintf(out, size, "%s:%llu", shown, (unsigned long long)r->at);
    }
    return out;
}

static int refuse(const struct records *r, struct err *err, const char *why)
{
    char where[640];
    return err_set(err, ERR_USAGE, "%s: %s", records_where(r, where, sizeof where), why);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Adds a chunk after data[end): 1; 0 at the end of the file; -1. Moves what is not yet taken to the
 * front of the buffer first, so that offsets from `start` stay what they were. */
static int fill(struct records *r, struct err *err)
{
    if (r->eof) {
        return 0;
    }
    if (stop_wanted() && !r->read_on) {
        return err_set(err, ERR_INTERRUPTED, "%s: stopped while reading", r->path);
    }
    if (r->start > 0) {
        memmove(r->data, r->data + r->start, r->end - r->start);
        r->end -= r->start;
        r->start = 0;
    }
    size_t room = r->longest + CHUNK - r->end;
    ssize_t n;
    do {
        n = read(r->fd, r->data + r->end, room < CHUNK ? room : CHUNK);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return err_set(err, ERR_IO, "%s: cannot read: %s", r->path, strerror(errno));
    }
    if (n == 0) {
        r->eof = true;
        return 0;
    }
    if (r->chunk != NULL) {
        r->chunk(r->arg, r->data + r->end, (size_t)n);
    }
    r->end += (size_t)n;
    return 1;
}

static void skip(struct records *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r->line += r->data[r->start + i] == '\n';
    }
    r->start += n;
}

/* Skips white space, reading on as needed: 1 with a byte at data[start], 0 at the end, -1. */
static int skip_space(struct records *r, struct err *err)
{
    for (;;) {
        size_t n = 0;
        while (r->start + n < r->end && is_space(r->data[r->start + n])) {
            n++;
        }
        skip(r, n);
        if (r->start < r->end) {
            return 1;
        }
        int rc = fill(r, err);
        if (rc <= 0) {
            return rc;
        }
    }
}

static struct json_span trimmed(const char *p, size_t n)
{
    while (n > 0 && is_space(p[n - 1])) {
        n--;
    }
    while (n > 0 && is_space(*p)) {
        p++;
        n--;
    }
    return (struct json_span){p, n};
}

static int too_long(const struct records *r, struct err *err)
{
    char why[96];
    snprintf(why, sizeof why, "longer than the %zu bytes a document may have", r->longest);
    return refuse(r, err, why);
}

static int next_line(struct records *r, struct json_span *record, struct err *err)
{
    size_t looked = 0;
    char *newline;
    r->at = r->line;
    r->number++;
    while ((newline = memchr(r->data + r->start + looked, '\n', r->end - r->start - looked)) ==
           NULL) {
        looked = r->end - r->start;
        if (looked > r->longest) {
            return too_long(r, err);
        }
        int rc = fill(r, err);
        if (rc < 0) {
            return -1;
        }
        if (rc == 0) {
            if (looked == 0) {
                return 0;
            }
            *record = trimmed(r->data + r->start, looked);
            r->start = r->end;
            return 1;
        }
    }
    size_t n = (size_t)(newline - (r->data + r->start));
    *record = trimmed(r->data + r->start, n);
    r->start += n + 1;
    r->line++;
    return record->len > r->longest ? too_long(r, err) : 1;
}

/* An element is what stands before the next comma or closing bracket outside strings and inner
 * brackets; whether it is JSON is the caller's to see. */
static int next_element(struct records *r, struct json_span *record, struct err *err)
{
    int rc = skip_space(r, err);
    if (rc < 0) {
        return -1;
    }
    r->at = r->line;
    r->number++;
    if (r->done) {
        return rc == 0 ? 0 : refuse(r, err, "something stands after the end of the array");
    }
    if (rc == 1 && r->data[r->start] == ']' && !r->after) {
        r->start++;
        r->done = true;
        return next_element(r, record, err);
    }
    size_t depth = 0, n = 0;
    bool quoted = false, escaped = false;
    for (;; n++) {
        if (r->start + n == r->end) {
            if (n > r->longest) {
                return too_long(r, err);
            }
            rc = fill(r, err);
            if (rc < 0) {
                return -1;
            }
            if (rc == 0) {
                return refuse(r, err, "the array has no end: is the file cut short?");
            }
        }
        char c = r->data[r->start + n];
        if (escaped) {
            escaped = false;
        } else if (quoted) {
            escaped = c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (depth > 0 && (c == '}' || c == ']')) {
            depth--;
        } else if (c == ',' || c == ']') {
            if (depth == 0) {
                break;
            }
        }
    }
    *record = trimmed(r->data + r->start, n);
    r->after = r->data[r->start + n] == ',';
    r->done = !r->after;
    skip(r, n + 1);
    return record->len > r->longest ? too_long(r, err) : 1;
}

int records_next(struct records *r, struct json_span *record, struct err *err)
{
    *record = (struct json_span){NULL, 0};
    return r->array ? next_element(r, record, err) : next_line(r, record, err);
}

/* ---- opening ------------------------------------------------------------------------------- */

/* Reads the first chunk and finds out the form. */
static int begin(struct records *r, struct err *err)
{
    r->start = r->end = 0;
    r->eof = r->done = r->after = false;
    r->line = r->at = 1;
    r->number = 0;
    if (fill(r, err) < 0) {
        return -1;
    }
    static const char lfs[] = "version https://git-lfs.github.com/";
    if (begins(r, lfs, sizeof lfs - 1)) {
        return err_set(err, ERR_USAGE,
                       "%s: a Git LFS pointer, not the file itself: install git-lfs and run `git "
                       "lfs pull` in its clone, or download the file from the project's web page",
                       r->path);
    }
    if (begins(r, "\x1f\x8b", 2)) {
        return err_set(err, ERR_USAGE, "%s: packed with gzip: unpack it first", r->path);
    }
    if (begins(r, "\xef\xbb\xbf", 3)) {
        r->start += 3;
    }
    size_t i = r->start;
    while (i < r->end && is_space(r->data[i])) {
        i++;
    }
    r->array = i < r->end && r->data[i] == '[';
    if (r->array) {
        skip(r, i + 1 - r->start);
    }
    return 0;
}

struct records *records_open(const char *path, size_t longest, struct err *err)
{
    struct records *r = mem_zero(1, sizeof *r);
    r->path = mem_strdup(path);
    r->longest = longest;
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* so that a FIFO does not wait */
    if (r->fd < 0 || fstat(r->fd, &r->st) < 0) {
        err_set(err, ERR_USAGE, "%s: cannot open: %s", path, strerror(errno));
    } else if (!S_ISREG(r->st.st_mode)) {
        err_set(err, ERR_USAGE, "%s: not a regular file (it is read more than once)", path);
    } else {
        r->data = mem_alloc(longest + CHUNK);
        return r;
    }
    records_close(r);
    return NULL;
}

void records_close(struct records *r)
{
    if (r != NULL) {
        if (r->fd >= 0) {
            close(r->fd);
        }
        free(r->data);
        free(r->path);
        free(r);
    }
}

int records_rewind(struct records *r, struct err *err)
{
    struct stat now;
    if (fstat(r->fd, &now) < 0 || lseek(r->fd, 0, SEEK_SET) < 0) {
        return err_set(err, ERR_IO, "%s: cannot read: %s", r->path, strerror(errno));
    }
    if (now.st_size != r->st.st_size || now.st_mtim.tv_sec != r->st.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != r->st.st_mtim.tv_nsec) {
        return err_set(err, ERR_USAGE, "%s: the file was changed while it was in use", r->path);
    }
    return begin(r, err);
}

void records_read_on(struct records *r, bool on)
{
    r->read_on = on;
}

bool records_array(const struct records *r)
{
    return r->array;
}

uint64_t records_file_bytes(const struct records *r)
{
    return (uint64_t)r->st.st_size;
}

void records_watch(struct records *r, void (*chunk)(void *arg, const void *bytes, size_t n),
                   void *arg)
{
    r->chunk = chunk;
    r->arg = arg;
}
