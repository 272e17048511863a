#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "couch/auth.h"
#include "couch/netrc.h"
#include "tests/testing.h"

#define SECRET "s3cret-word"

START_TEST(urls)
{
    static const struct {
        const char *url, *clean, *user, *password; /* clean NULL: refused */
    } rows[] = {
        {"http://db1:5984", "http://db1:5984", NULL, NULL},
        {"http://db1:5984/", "http://db1:5984", NULL, NULL},
        {"HTTPS://Host/prefix//", "https://Host/prefix", NULL, NULL},
        {"http://[::1]:5984/", "http://[::1]:5984", NULL, NULL},
        {"http://admin:" SECRET "@h:1", "http://h:1", "admin", SECRET},
        {"http://a%40b:p%3a%2F%25@h", "http://h", "a@b", "p:/%"},
        {"http://user:p@ss@h", "http://h", "user", "p@ss"},
        {"http://user@h", "http://h", "user", NULL},
        {"http://user:@h", "http://h", "user", ""},
        {"http://:x@h", "http://h", NULL, NULL},
        {"http://%C3%A9:x@h", "http://h", "\xc3\xa9", "x"},
        {"db1:5984", NULL, NULL, NULL},
        {"ftp://h", NULL, NULL, NULL},
        {"http://", NULL, NULL, NULL},
        {"http://:5984", NULL, NULL, NULL},
        {"http://u:" SECRET "@", NULL, NULL, NULL},
        {"http://u:" SECRET "%zz@h", NULL, NULL, NULL},
        {"http://u:" SECRET "%0@h", NULL, NULL, NULL},
        {"http://u:" SECRET "%@h", NULL, NULL, NULL},
        {"http://u:" SECRET "%00@h", NULL, NULL, NULL},
        {"http://u:" SECRET "%0d%0aX:1@h", NULL, NULL, NULL},
        {"http://u:" SECRET "/x@h", NULL, NULL, NULL},
        {"http://u:" SECRET "#x@h", NULL, NULL, NULL},
        {"http://u:" SECRET "?x@h", NULL, NULL, NULL},
        {"http://h/?x=" SECRET, NULL, NULL, NULL},
        {"http://u:" SECRET " @h", NULL, NULL, NULL},
        {"u:" SECRET "@h", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        char *clean, *user, *password;
        int rc = auth_from_url(rows[i].url, &clean, &user, &password, &err);
        ck_assert_msg((rc == 0) == (rows[i].clean != NULL), "%s: %s", rows[i].url, err.text);
        if (rc < 0) {
            ck_assert_int_eq(err.kind, ERR_USAGE);
            ck_assert_msg(strstr(err.text, SECRET) == NULL, "told a secret: %s", err.text);
            ck_assert_ptr_null(clean);
            ck_assert_ptr_null(user);
            ck_assert_ptr_null(password);
        } else {
            ck_assert_str_eq(clean, rows[i].clean);
            ck_assert_pstr_eq(user, rows[i].user);
            ck_assert_pstr_eq(password, rows[i].password);
        }
        free(clean);
        free(user);
        free(password);
    }
}
END_TEST

START_TEST(netrc)
{
    static const struct {
        const char *text, *host, *login, *user, *password;
        int rc;
    } rows[] = {
        {"machine h login u password p", "h", NULL, "u", "p", 1},
        {"machine\th\n\tlogin u\n\tpassword p\n", "H", NULL, "u", "p", 1},
        {"machine x login u password p\nmachine h login v password q", "h", NULL, "v", "q", 1},
        {"machine h login u password p\nmachine h login v password q", "h", "v", "v", "q", 1},
        {"machine h login u password p", "h", "w", NULL, NULL, 0},
        {"machine x login u password p default login d password e", "h", NULL, "d", "e", 1},
        {"machine h password p login u account a", "h", NULL, "u", "p", 1},
        {"# a comment machine h\nmachine h login u password #p", "h", NULL, "u", "#p", 1},
        {"machine h login \"a b\" password \"q\\\"\\\\\\t\"", "h", NULL, "a b", "q\"\\\t", 1},
        {"macdef m\nmachine h login no password no\n\nmachine h login u password p", "h", NULL, "u",
         "p", 1},
        {"machine h\nmacdef init\ncd /\n\nmachine i login u password p", "i", NULL, "u", "p", 1},
        {"machine h login machine password default", "h", NULL, "machine", "default", 1},
        {"machine h", "h", NULL, NULL, NULL, 0},
        {"machine h login u", "h", NULL, "u", NULL, 1},
        {"machine h password p", "h", NULL, NULL, "p", 1},
        {"", "h", NULL, NULL, NULL, 0},
        {"machine", "h", NULL, NULL, NULL, -1},
        {"machine h login", "h", NULL, NULL, NULL, -1},
        {"machine h log u password p", "h", NULL, NULL, NULL, -1},
        {"machine h password \"p", "h", NULL, NULL, NULL, -1},
        {"\xff\xfe\x01", "h", NULL, NULL, NULL, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *user, *password;
        unsigned line;
        int rc = netrc_find(rows[i].text, strlen(rows[i].text), rows[i].host, rows[i].login, &user,
                            &password, &line);
        ck_assert_msg(rc == rows[i].rc, "row %zu: %d", i, rc);
        ck_assert_pstr_eq(user, rows[i].user);
        ck_assert_pstr_eq(password, rows[i].password);
        free(user);
        free(password);
    }
    char *user, *password;
    unsigned line;
    static const char bad[] = "machine h\nlogin u\nwrong p\n";
    ck_assert_int_eq(netrc_find(bad, strlen(bad), "h", NULL, &user, &password, &line), -1);
    ck_assert_uint_eq(line, 3);
}
END_TEST

static char folder[] = "/tmp/check_auth.XXXXXX";

static void put(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* One row of what is given, and what comes of it. Files are named relative to the folder. */
struct source {
    const char *user, *password_file, *token_file, *netrc_file, *url_user, *url_password;
    const char *env_user, *env_password, *env_token, *env_netrc;
    bool cookie;
    int kind; /* -1: refused */
    const char *want_user, *want_secret;
};

static void variable(const char *name, const char *value)
{
    if (value != NULL) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}

START_TEST(sources)
{
    static const struct source rows[] = {
        {.kind = AUTH_NONE},
        {.user = "u", .password_file = "pw", .kind = AUTH_BASIC, "u", SECRET},
        {.user = "u", .password_file = "crlf", .kind = AUTH_BASIC, "u", SECRET},
        {.user = "u", .password_file = "pw", .cookie = true, .kind = AUTH_COOKIE, "u", SECRET},
        {.user = "u", .password_file = "empty", .kind = -1},
        {.user = "u", .password_file = "long", .kind = -1},
        {.user = "u", .password_file = "missing", .kind = -1},
        {.password_file = "pw", .kind = -1},
        {.password_file = "pw", .url_user = "x", .kind = AUTH_BASIC, "x", SECRET},
        {.url_user = "x", .url_password = "y", .kind = AUTH_BASIC, "x", "y"},
        {.url_user = "x", .url_password = "", .kind = AUTH_BASIC, "x", ""},
        {.user = "x", .url_user = "x", .url_password = "y", .kind = AUTH_BASIC, "x", "y"},
        {.user = "z", .url_user = "x", .url_password = "y", .kind = -1},
        {.url_user = "x", .kind = -1},
        {.env_user = "e", .env_password = SECRET, .kind = AUTH_BASIC, "e", SECRET},
        {.env_user = "e", .kind = -1},
        {.env_password = SECRET, .kind = AUTH_NONE},
        {.user = "u", .env_password = SECRET, .kind = AUTH_BASIC, "u", SECRET},
        {.user = "u", .env_user = "e", .env_password = SECRET, .kind = -1},
        {.url_user = "x",
         .url_password = "y",
         .env_user = "e",
         .env_password = SECRET,
         .kind = AUTH_BASIC,
         "x",
         "y"},
        {.env_token = "tok", .kind = AUTH_BEARER, NULL, "tok"},
        {.env_token = "tok", .url_user = "x", .url_password = "y", .kind = AUTH_BASIC, "x", "y"},
        {.env_token = "a\nb", .kind = -1},
        {.token_file = "pw", .kind = AUTH_BEARER, NULL, SECRET},
        {.token_file = "pw", .user = "u", .kind = -1},
        {.netrc_file = "netrc", .kind = AUTH_BASIC, "n", SECRET},
        {.netrc_file = "netrc", .user = "m", .kind = AUTH_BASIC, "m", "other"},
        {.netrc_file = "netrc", .user = "nobody", .kind = -1},
        {.netrc_file = "nologin", .kind = AUTH_NONE},
        {.netrc_file = "nologin", .cookie = true, .kind = -1},
        {.netrc_file = "missing", .kind = -1},
        {.netrc_file = "notnetrc", .kind = -1},
        {.env_netrc = "netrc", .kind = AUTH_BASIC, "n", SECRET},
        {.cookie = true, .kind = -1},
        {.user = "a:b", .password_file = "pw", .kind = -1},
        {.user = "a:b", .password_file = "pw", .cookie = true, .kind = AUTH_COOKIE, "a:b", SECRET},
    };
    char paths[4][100], extra[9000];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    log_set_level(LOG_ERROR);
    put("pw", SECRET "\nsecond line\n");
    put("crlf", SECRET "\r\n");
    put("empty", "\n");
    memset(extra, 'x', sizeof extra - 1);
    extra[sizeof extra - 1] = '\0';
    put("long", extra);
    put("netrc", "machine 127.0.0.1 login n password " SECRET
                 "\nmachine 127.0.0.1 login m password other\n");
    put("nologin", "machine 127.0.0.1 password " SECRET "\n");
    put("notnetrc", "hello " SECRET);
    setenv("HOME", folder, 1); /* holds no .netrc */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct source *r = &rows[i];
        const char *names[] = {r->password_file, r->token_file, r->netrc_file, r->env_netrc};
        const char *path[4];
        for (size_t k = 0; k < 4; k++) {
            snprintf(paths[k], sizeof paths[k], "%s/%s", folder, names[k] ? names[k] : "");
            path[k] = names[k] != NULL ? paths[k] : NULL;
        }
        variable("TUNECOUCH_USER", r->env_user);
        variable("TUNECOUCH_PASSWORD", r->env_password);
        variable("TUNECOUCH_TOKEN", r->env_token);
        variable("NETRC", path[3]);
        struct auth_sources from = {r->user, path[0], path[1], path[2], false, r->cookie};
        struct auth a;
        struct err err = ERR_INIT;
        int rc = auth_find(&from, "http://127.0.0.1:5984", r->url_user, r->url_password, &a, &err);
        ck_assert_msg((rc == 0) == (r->kind >= 0), "row %zu: %s", i, err.text);
        if (rc == 0) {
            ck_assert_msg((int)a.kind == r->kind, "row %zu: %s", i, auth_describe(&a));
            ck_assert_pstr_eq(a.user, r->want_user);
            ck_assert_pstr_eq(a.secret, r->want_secret);
        } else {
            ck_assert_int_eq(err.kind, ERR_USAGE);
            ck_assert_msg(strstr(err.text, SECRET) == NULL, "told a secret: %s", err.text);
            ck_assert_ptr_null(a.secret);
        }
        auth_free(&a);
    }
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

TEST_MAIN("auth", urls, netrc, sources)
