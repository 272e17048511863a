#include "couch/netrc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

struct reader {
    const char *p, *end;
    unsigned line;
};

static bool space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_line(struct reader *r)
{
    while (r->p < r->end && *r->p != '\n') {
        r->p++;
    }
}

/* The next word, or NULL at the end. "Quoted words" may hold spaces and \-escapes, as curl and
 * Python have it; a # where a word would begin is a comment to the end of the line. `value`: a #
 * belongs to it (a password may begin with one). *bad is set on a quote without its end. */
static char *word(struct reader *r, bool value, bool *bad)
{
    for (;;) {
        while (r->p < r->end && space(*r->p)) {
            r->line += *r->p++ == '\n';
        }
        if (r->p == r->end) {
            return NULL;
        }
        if (*r->p != '#' || value) {
            break;
        }
        skip_line(r);
    }
    char *out = mem_alloc((size_t)(r->end - r->p) + 1);
    size_t n = 0;
    if (*r->p != '"') {
        while (r->p < r->end && !space(*r->p)) {
            out[n++] = *r->p++;
        }
        out[n] = '\0';
        return out;
    }
    for (r->p++; r->p < r->end && *r->p != '"' && *r->p != '\n'; r->p++) {
        char c = *r->p;
        if (c == '\\' && r->p + 1 < r->end) {
            c = *++r->p;
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
        }
        out[n++] = c;
    }
    if (r->p == r->end || *r->p != '"') {
        *bad = true;
    } else {
        r->p++;
    }
    out[n] = '\0';
    return out;
}

static void wipe(char **s)
{
    if (*s != NULL) {
        explicit_bzero(*s, strlen(*s));
        free(*s);
        *s = NULL;
    }
}

/* A macro runs to the next empty line; its text is nobody's business. */
static void skip_macro(struct reader *r)
{
    while (r->p < r->end) {
        skip_line(r);
        if (r->p < r->end) {
            r->p++;
            r->line++;
        }
        const char *q = r->p;
        while (q < r->end && (*q == ' ' || *q == '\t' || *q == '\r')) {
            q++;
        }
        if (q == r->end || *q == '\n') {
            return;
        }
    }
}

int netrc_find(const char *text, size_t len, const char *host, const char *login, char **user,
               char **password, unsigned *line)
{
    struct reader r = {text, text + len, 1};
    bool inside = false, bad = false; /* inside: the entry being read is for this host */
    int rc = 0;
    char *u = NULL, *p = NULL, *w;
    *user = *password = NULL;
    while (rc == 0) {
        w = word(&r, false, &bad);
        bool machine = w != NULL && strcmp(w, "machine") == 0;
        bool otherwise = w != NULL && strcmp(w, "default") == 0;
        if (w == NULL || machine || otherwise) {
            /* an entry ends here: is it the one? */
            if (inside && (login == NULL || (u != NULL && strcmp(u, login) == 0)) &&
                (u != NULL || p != NULL)) {
                rc = 1;
            } else {
                wipe(&u);
                wipe(&p);
            }
            free(w);
            if (w == NULL) {
                break;
            }
            if (rc == 0 && machine) {
                char *name = word(&r, true, &bad);
                inside = name != NULL && strcasecmp(name, host) == 0;
                bad = bad || name == NULL;
                free(name);
            } else {
                inside = otherwise;
            }
        } else if (strcmp(w, "macdef") == 0) {
            free(w);
            skip_macro(&r);
        } else {
            bool is_login = strcmp(w, "login") == 0, is_password = strcmp(w, "password") == 0;
            bad = bad || (!is_login && !is_password && strcmp(w, "account") != 0);
            wipe(&w); /* where the grammar is broken this may be a password */
            char *value = bad ? NULL : word(&r, true, &bad);
            bad = bad || value == NULL;
            if (inside && (is_login || is_password)) {
                char **to = is_login ? &u : &p;
                wipe(to);
                *to = value;
            } else {
                wipe(&value);
            }
        }
        if (bad) {
            rc = -1;
        }
    }
    if (rc == 1) {
        *user = u;
        *password = p;
    } else {
        wipe(&u);
        wipe(&p);
    }
    *line = r.line;
    return rc;
}
