#include "tests/fake_sync_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- answers --------------------------------------------------------------------------------- */

void ask_answer(struct ask *a, int status, const char *text)
{
    a->answer->status = status;
    buf_init(&a->answer->body, BUF_TEXT_MAX);
    buf_adds(&a->answer->body, text);
}

void ask_fail(struct ask *a, int status, const char *error, const char *reason)
{
    char text[300];
    snprintf(text, sizeof text, "{\"error\":\"%s\",\"reason\":\"%s\"}", error, reason);
    ask_answer(a, status, text);
}

const char *ask_error_name(int status)
{
    return status == 409   ? "conflict"
           : status == 404 ? "not_found"
           : status == 500 ? "Internal Server Error"
                           : "Bad Request";
}

/* ---- requests -------------------------------------------------------------------------------- */

char *ask_decode(const char *s, size_t n)
{
    char *out = mem_alloc(n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        if (s[i] == '%' && i + 2 < n && sscanf(s + i + 1, "%2x", &byte) == 1) {
            out[k++] = (char)byte;
            i += 2;
        } else {
            out[k++] = s[i] == '+' ? ' ' : s[i];
        }
    }
    out[k] = '\0';
    return out;
}

char *ask_parameter(const struct ask *a, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = a->query; p != NULL && *p != '\0';) {
        size_t len = strcspn(p, "&");
        if (len > n && strncmp(p, name, n) == 0 && p[n] == '=') {
            return ask_decode(p + n + 1, len - n - 1);
        }
        p += len;
        p += *p == '&';
    }
    return NULL;
}

cJSON *ask_json(const struct ask *a, const char *name)
{
    char *text = ask_parameter(a, name);
    cJSON *json = text != NULL ? json_parse(text, strlen(text), NULL) : NULL;
    free(text);
    return json;
}

long ask_number(const struct ask *a, const char *name, long otherwise)
{
    char *text = ask_parameter(a, name);
    long n = text != NULL ? strtol(text, NULL, 10) : otherwise;
    free(text);
    return n;
}

bool ask_flag(const struct ask *a, const char *name, bool otherwise)
{
    char *text = ask_parameter(a, name);
    bool flag = text != NULL ? strcmp(text, "true") == 0 : otherwise;
    free(text);
    return flag;
}

bool ask_method(const struct ask *a, const char *name)
{
    return strcmp(a->request->method, name) == 0;
}
