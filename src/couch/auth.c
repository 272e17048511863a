#include "couch/auth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "couch/netrc.h"

#define SECRET_MAX 8192      /* bytes of a password or token; a JWT is seldom above 2 kB */
#define NETRC_MAX (1u << 20) /* bytes of a netrc file */

static void wipe(char **s)
{
    if (*s != NULL) {
        explicit_bzero(*s, strlen(*s));
        free(*s);
        *s = NULL;
    }
}

/* ---- URL ------------------------------------------------------------------------------------ */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Percent-decodes; NULL on a bad escape, or one for a control character (no header and no C string
 * could carry it). */
static char *decode(const char *s, size_t n)
{
    char *out = mem_alloc(n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)s[i];
        if (c == '%') {
            int hi = i + 2 < n ? hex(s[i + 1]) : -1, lo = hi >= 0 ? hex(s[i + 2]) : -1;
            c = hi < 0 || lo < 0 ? 0 : hi * 16 + lo;
            i += 2;
        }
        if (c < 0x20 || c == 0x7f) {
            explicit_bzero(out, k);
            free(out);
            return NULL;
        }
        out[k++] = (char)c;
    }
    out[k] = '\0';
    return out;
}

/* No message here shows the URL: what is wrong with it may be just its password part. */
int auth_from_url(const char *url, char **clean, char **user, char **password, struct err *err)
{
    *clean = *user = *password = NULL;
    size_t scheme = strncasecmp(url, "http://", 7) == 0 ? 7 : 0;
    scheme = strncasecmp(url, "https://", 8) == 0 ? 8 : scheme;
    if (scheme == 0) {
        return err_set(err, ERR_USAGE,
                       strstr(url, "://") != NULL
                           ? "a server's URL begins with http:// or https://"
                           : "a server is given as a URL: put http:// or https:// in front");
    }
    for (const char *p = url; *p != '\0'; p++) {
        if ((unsigned char)*p <= 0x20 || *p == 0x7f) {
            return err_set(err, ERR_USAGE, "the URL holds a space or control character");
        }
    }
    const char *authority = url + scheme;
    size_t n = strcspn(authority, "/?#");
    if (authority[n] == '?' || authority[n] == '#' || strpbrk(authority + n, "?#") != NULL) {
        return err_set(err, ERR_USAGE,
                       "the URL has a ? or # (inside a password write %%3F and %%23)");
    }
    const char *at = memrchr(authority, '@', n);
    const char *host = at != NULL ? at + 1 : authority;
    size_t host_len = n - (size_t)(host - authority);
    if (host_len == 0 || *host == ':') {
        return err_set(err, ERR_USAGE, "the URL names no host");
    }
    const char *tail = authority + n;
    size_t tail_len = strlen(tail);
    if (at == NULL && memchr(tail, '@', tail_len) != NULL) {
        return err_set(err, ERR_USAGE,
                       "the URL has an @ after its host (inside a password write / as %%2F)");
    }
    while (tail_len > 0 && tail[tail_len - 1] == '/') {
        tail_len--;
    }
    if (at != NULL) {
        size_t userinfo = (size_t)(at - authority);
        const char *colon = memchr(authority, ':', userinfo);
        size_t name = colon != NULL ? (size_t)(colon - authority) : userinfo;
        *user = decode(authority, name);
        if (colon != NULL) {
            *password = decode(colon + 1, userinfo - name - 1);
        }
        if (*user == NULL || (colon != NULL && *password == NULL)) {
            wipe(user);
            wipe(password);
            return err_set(err, ERR_USAGE,
                           "the name or password in the URL has a bad %% escape (a percent sign "
                           "itself is written %%25)");
        }
        if (**user == '\0') {
            wipe(user); /* http://:secret@host names nobody */
            wipe(password);
        }
    }
    *clean = mem_printf("%s%.*s%.*s", scheme == 7 ? "http://" : "https://", (int)host_len, host,
                        (int)tail_len, tail);
    return 0;
}

/* The host alone, as netrc names it: no port, no brackets. The caller frees. */
static char *host_of(const char *url)
{
    const char *host = strstr(url, "://") + 3;
    if (*host == '[') {
        return mem_strndup(host + 1, strcspn(host + 1, "]/"));
    }
    return mem_strndup(host, strcspn(host, ":/"));
}

/* ---- files and terminal --------------------------------------------------------------------- */

/* Reads at most `size` - 1 bytes, up to the first newline if `line`. -1 with errno, -2: too long.
 * Unbuffered, a byte at a time for a line: what follows on standard input stays there for others,
 * and no copy stays in a buffer of stdio's. */
static ssize_t read_some(int fd, char *out, size_t size, bool line)
{
    size_t n = 0;
    for (;;) {
        ssize_t got = read(fd, out + n, line ? 1 : size - n);
        if (got < 0 && errno == EINTR && !stop_wanted()) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0 || (line && out[n] == '\n')) {
            break;
        }
        n += (size_t)got;
        if (n == size) {
            return -2;
        }
    }
    out[n] = '\0';
    return (ssize_t)n;
}

static void warn_if_readable(int fd, const char *path)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0) {
        log_warn("%s can be read by others: chmod 600 it", path);
    }
}

/* The first line of a file that holds one secret. */
static int secret_from_file(const char *path, const char *what, char **secret, struct err *err)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return err_set(err, ERR_USAGE, "%s: cannot open the %s file: %s", path, what,
                       strerror(errno));
    }
    char bytes[SECRET_MAX + 1];
    ssize_t n = read_some(fd, bytes, sizeof bytes, true);
    int rc = 0;
    if (!standard) {
        warn_if_readable(fd, path);
    }
    if (n > 0 && bytes[n - 1] == '\r') {
        bytes[--n] = '\0';
    }
    if (n == -1) {
        rc = err_set(err, ERR_USAGE, "%s: cannot read the %s: %s", path, what, strerror(errno));
    } else if (n == -2) {
        rc = err_set(err, ERR_USAGE, "%s: its first line is longer than the %d bytes a %s may have",
                     path, SECRET_MAX, what);
    } else if (n == 0 || memchr(bytes, '\0', (size_t)n) != NULL) {
        rc = err_set(err, ERR_USAGE, "%s: its first line is to hold the %s, but is empty or binary",
                     path, what);
    } else {
        *secret = mem_strndup(bytes, (size_t)n);
    }
    explicit_bzero(bytes, sizeof bytes);
    if (!standard) {
        close(fd);
    }
    return rc;
}

static int ask_terminal(const char *user, const char *url, char **secret, struct err *err)
{
    struct termios before, quiet;
    char bytes[SECRET_MAX + 1];
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (fd < 0 || tcgetattr(fd, &before) < 0) {
        if (fd >= 0) {
            close(fd);
        }
        return err_set(err, ERR_USAGE,
                       "user \"%s\" has no password, and there is no terminal to ask on: give "
                       "--password-file or TUNECOUCH_PASSWORD",
                       user);
    }
    quiet = before;
    quiet.c_lflag &= (tcflag_t) ~(ECHO | ECHONL);
    dprintf(fd, "Password of %s at %s: ", user, url);
    tcsetattr(fd, TCSAFLUSH, &quiet);
    ssize_t n = read_some(fd, bytes, sizeof bytes, true);
    tcsetattr(fd, TCSAFLUSH, &before);
    dprintf(fd, "\n");
    close(fd);
    int rc = 0;
    if (stop_wanted()) {
        rc = err_set(err, ERR_INTERRUPTED, "interrupted");
    } else if (n < 0) {
        rc = err_set(err, ERR_USAGE, "no password was read from the terminal");
    } else {
        *secret = mem_strndup(bytes, (size_t)n);
    }
    explicit_bzero(bytes, sizeof bytes);
    return rc;
}

/* 1 found, 0 not, -1. `given`: the file was asked for and must be there. */
static int from_netrc(const char *given, const char *host, const char *login, char **user,
                      char **password, struct err *err)
{
    const char *home = getenv("HOME"), *variable = getenv("NETRC");
    bool must = given != NULL || variable != NULL;
    char *path = given != NULL      ? mem_strdup(given)
                 : variable != NULL ? mem_strdup(variable)
                 : home != NULL     ? mem_printf("%s/.netrc", home)
                                    : NULL;
    if (path == NULL) {
        return 0;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
    char *bytes = NULL;
    if (fd < 0) {
        if (must || errno != ENOENT) {
            rc = err_set(err, ERR_USAGE, "%s: cannot open the netrc file: %s", path,
                         strerror(errno));
        }
        free(path);
        return rc;
    }
    bytes = mem_alloc(NETRC_MAX);
    ssize_t n = read_some(fd, bytes, NETRC_MAX, false);
    unsigned line = 0;
    if (n == -1) {
        rc = err_set(err, ERR_USAGE, "%s: cannot read: %s", path, strerror(errno));
    } else if (n == -2) {
        rc = err_set(err, ERR_USAGE, "%s: larger than the %u bytes a netrc file may have", path,
                     NETRC_MAX);
    } else {
        rc = netrc_find(bytes, (size_t)n, host, login, user, password, &line);
        if (rc < 0 && !must) {
            /* nobody asked for this file: say so and do without */
            log_warn("%s: line %u is not of netrc's form; the file is not used", path, line);
            rc = 0;
        } else if (rc < 0) {
            err_set(err, ERR_USAGE, "%s: line %u is not of netrc's form", path, line);
        }
    }
    if (rc == 1 && login == NULL && *user == NULL) { /* a password alone says not whose it is */
        log_warn("%s: the entry for %s has no login; it is not used", path, host);
        wipe(password);
        rc = 0;
    }
    if (rc == 1) {
        warn_if_readable(fd, path);
    }
    explicit_bzero(bytes, NETRC_MAX);
    free(bytes);
    close(fd);
    free(path);
    return rc;
}

/* ---- which of them -------------------------------------------------------------------------- */

static const char *environment(const char *name)
{
    const char *v = getenv(name);
    return v != NULL && *v != '\0' ? v : NULL;
}

/* Name and password from the first place that has them. */
static int find_pair(const struct auth_sources *from, const char *clean_url, const char *url_user,
                     const char *url_password, char **user, char **secret, struct err *err)
{
    const char *env_user = environment("TUNECOUCH_USER");
    const char *env_password = environment("TUNECOUCH_PASSWORD");
    const char *name = from->user != NULL ? from->user : url_user != NULL ? url_user : env_user;
    if (from->password_file != NULL) {
        if (name == NULL) {
            return err_set(err, ERR_USAGE, "a password file without a user: give --user too");
        }
        *user = mem_strdup(name);
        return secret_from_file(from->password_file, "password", secret, err);
    }
    if (name != NULL) {
        const char *password = NULL;
        if (url_password != NULL && url_user != NULL && strcmp(name, url_user) == 0) {
            password = url_password;
        } else if (env_password != NULL && (env_user == NULL || strcmp(name, env_user) == 0)) {
            password = env_password;
        }
        *user = mem_strdup(name);
        if (password != NULL) {
            *secret = mem_strdup(password);
            return 0;
        }
    }
    char *host = host_of(clean_url), *login = NULL;
    int rc = from_netrc(from->netrc_file, host, name, &login, secret, err);
    free(host);
    if (rc == 1 && *user == NULL) {
        *user = login;
        login = NULL;
    }
    wipe(&login);
    if (rc < 0 || *user == NULL || *secret != NULL) {
        return rc < 0 ? -1 : 0;
    }
    if (from->prompt) {
        return ask_terminal(*user, clean_url, secret, err);
    }
    return err_set(err, ERR_USAGE,
                   "user \"%s\" has no password: give --password-file, TUNECOUCH_PASSWORD, or an "
                   "entry in netrc",
                   *user);
}

int auth_find(const struct auth_sources *from, const char *clean_url, const char *url_user,
              const char *url_password, struct auth *out, struct err *err)
{
    *out = (struct auth){AUTH_NONE, NULL, NULL};
    if (from->token_file != NULL) {
        if (from->user != NULL || from->password_file != NULL || url_user != NULL) {
            return err_set(err, ERR_USAGE, "a token and a user exclude each other");
        }
        out->kind = AUTH_BEARER;
        return secret_from_file(from->token_file, "token", &out->secret, err);
    }
    const char *token = environment("TUNECOUCH_TOKEN");
    if (token != NULL && from->user == NULL && from->password_file == NULL && url_user == NULL &&
        environment("TUNECOUCH_USER") == NULL) {
        if (strpbrk(token, "\r\n") != NULL) {
            return err_set(err, ERR_USAGE, "TUNECOUCH_TOKEN holds a line break");
        }
        out->kind = AUTH_BEARER;
        out->secret = mem_strdup(token);
        return 0;
    }
    if (find_pair(from, clean_url, url_user, url_password, &out->user, &out->secret, err) < 0) {
        auth_free(out);
        return -1;
    }
    if (out->user == NULL || out->secret == NULL) {
        auth_free(out);
        return from->cookie ? err_set(err, ERR_USAGE, "cookie sessions need a user and password")
                            : 0;
    }
    out->kind = from->cookie ? AUTH_COOKIE : AUTH_BASIC;
    if (!from->cookie && strchr(out->user, ':') != NULL) {
        auth_free(out);
        return err_set(err, ERR_USAGE,
                       "a user name with a colon cannot be sent by Basic authentication: use "
                       "--auth cookie");
    }
    return 0;
}

void auth_free(struct auth *a)
{
    free(a->user);
    wipe(&a->secret);
    *a = (struct auth){AUTH_NONE, NULL, NULL};
}

void auth_header(const struct auth *a, struct http_headers *headers)
{
    if (a->kind == AUTH_BEARER) {
        char *line = mem_printf("Authorization: Bearer %s", a->secret);
        http_headers_add(headers, line);
        wipe(&line);
    } else if (a->kind == AUTH_BASIC) {
        char *pair = mem_printf("%s:%s", a->user, a->secret);
        size_t n = strlen(pair);
        char *base64 = mem_zero((n + 2) / 3 * 4 + 1, 1);
        EVP_EncodeBlock((unsigned char *)base64, (const unsigned char *)pair, (int)n);
        char *line = mem_printf("Authorization: Basic %s", base64);
        http_headers_add(headers, line); /* libcurl's copy of it cannot be wiped by us */
        wipe(&line);
        wipe(&base64);
        wipe(&pair);
    }
}

const char *auth_describe(const struct auth *a)
{
    static const char *const names[] = {"none", "basic", "cookie", "bearer token"};
    return names[a->kind];
}
