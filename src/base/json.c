#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* ---- scanner: the one place that knows the grammar ---------------------------------------- */

static bool fault(struct json_walk *s, const char *why)
{
    if (s->why == NULL) {
        s->why = why;
    }
    return false;
}

static void skip_space(struct json_walk *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')) {
        s->p++;
    }
}

static int hex4(const char *p, const char *end)
{
    int v = 0;
    if (end - p < 4) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int d = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
        if (d < 0) {
            return -1;
        }
        v = v * 16 + d;
    }
    return v;
}

static bool scan_string(struct json_walk *s)
{
    s->p++; /* the opening quote */
    while (s->p < s->end) {
        unsigned char c = (unsigned char)*s->p;
        if (c == '"') {
            s->p++;
            return true;
        }
        if (c < 0x20) {
            return fault(s, "a control character in a string");
        }
        if (c == '\\') {
            if (s->end - s->p < 2) {
                break;
            }
            char e = s->p[1];
            if (e == 'u') {
                if (hex4(s->p + 2, s->end) < 0) {
                    return fault(s, "a bad \\u escape");
                }
                s->p += 6;
            } else if (strchr("\"\\/bfnrt", e) != NULL && e != '\0') {
                s->p += 2;
            } else {
                return fault(s, "a bad escape in a string");
            }
        } else if (c < 0x80) {
            s->p++;
        } else {
            size_t len = text_utf8_length((const unsigned char *)s->p, (size_t)(s->end - s->p));
            if (len == 0) {
                return fault(s, "invalid UTF-8");
            }
            s->p += len;
        }
    }
    return fault(s, "a string without its end");
}

static bool digits(struct json_walk *s)
{
    const char *from = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9') {
        s->p++;
    }
    return s->p > from || fault(s, "a bad number");
}

static bool scan_number(struct json_walk *s)
{
    if (*s->p == '-') {
        s->p++;
    }
    if (s->p < s->end && *s->p == '0') {
        s->p++;
    } else if (!digits(s)) {
        return false;
    }
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        if (!digits(s)) {
            return false;
        }
    }
    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-')) {
            s->p++;
        }
        return digits(s);
    }
    return true;
}

static bool scan_word(struct json_walk *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0) {
        return fault(s, "not a JSON value");
    }
    s->p += n;
    return true;
}

/* One value, without recursion: the stack is a bit a level (object or array). */
static bool scan_value(struct json_walk *s)
{
    bool object[JSON_DEPTH_MAX];
    size_t depth = 0;
    for (;;) {
        skip_space(s);
        if (s->p >= s->end) {
            return fault(s, "the text ends in the middle");
        }
        char c = *s->p;
        bool opened = false;
        if (c == '{' || c == '[') {
            if (depth == JSON_DEPTH_MAX) {
                return fault(s, "nested too deep");
            }
            object[depth++] = c == '{';
            s->p++;
            skip_space(s);
            if (s->p < s->end && *s->p == (c == '{' ? '}' : ']')) {
                s->p++;
                depth--;
            } else {
                opened = true;
            }
        } else if (c == '"') {
            if (!scan_string(s)) {
                return false;
            }
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            if (!scan_number(s)) {
                return false;
            }
        } else if (!scan_word(s, c == 't' ? "true" : c == 'f' ? "false" : "null")) {
            return false;
        }
        /* after a value: close what ends here, or go to the next one */
        while (!opened) {
            if (depth == 0) {
                return true;
            }
            skip_space(s);
            if (s->p >= s->end) {
                return fault(s, "the text ends in the middle");
            }
            if (*s->p == ',') {
                s->p++;
                break;
            }
            if (*s->p != (object[depth - 1] ? '}' : ']')) {
                return fault(s, object[depth - 1] ? "expected , or }" : "expected , or ]");
            }
            s->p++;
            depth--;
        }
        if (object[depth - 1]) {
            skip_space(s);
            if (s->p >= s->end || *s->p != '"') {
                return fault(s, "expected a member name");
            }
            if (!scan_string(s)) {
                return false;
            }
            skip_space(s);
            if (s->p >= s->end || *s->p != ':') {
                return fault(s, "expected :");
            }
            s->p++;
        }
    }
}

int json_validate(const char *bytes, size_t len, struct err *err)
{
    struct json_walk s = {bytes, bytes + len, NULL, false};
    if (scan_value(&s)) {
        skip_space(&s);
        if (s.p == s.end) {
            return 0;
        }
        fault(&s, "something after the JSON value");
    }
    return err_set(err, ERR_STEP, "not JSON at byte %zu: %s", (size_t)(s.p - bytes) + 1, s.why);
}

/* ---- trees --------------------------------------------------------------------------------- */

cJSON *json_parse(const char *bytes, size_t len, struct err *err)
{
    if (json_validate(bytes, len, err) < 0) {
        return NULL;
    }
    return mem_checked(cJSON_ParseWithLengthOpts(bytes, len, NULL, false));
}

const cJSON *json_get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *json_str(const cJSON *object, const char *name, const char *otherwise)
{
    const cJSON *v = json_get(object, name);
    return cJSON_IsString(v) ? v->valuestring : otherwise;
}

double json_num(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *v = json_get(object, name);
    return cJSON_IsNumber(v) ? v->valuedouble : otherwise;
}

uint64_t json_u64(const cJSON *object, const char *name, uint64_t otherwise)
{
    const cJSON *v = json_get(object, name);
    if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0) || v->valuedouble > 9007199254740992.0) {
        return otherwise;
    }
    return (uint64_t)v->valuedouble;
}

bool json_bool(const cJSON *object, const char *name, bool otherwise)
{
    const cJSON *v = json_get(object, name);
    return cJSON_IsBool(v) ? cJSON_IsTrue(v) : otherwise;
}

cJSON *json_add(cJSON *object, const char *name, cJSON *value)
{
    mem_checked(value);
    if (!cJSON_AddItemToObject(object, name, value)) {
        mem_checked(NULL);
    }
    return value;
}

void json_add_str(cJSON *object, const char *name, const char *value)
{
    if (value != NULL) {
        json_add(object, name, cJSON_CreateString(value));
    }
}

void json_add_num(cJSON *object, const char *name, double value)
{
    json_add(object, name, cJSON_CreateNumber(value));
}

void json_add_u64(cJSON *object, const char *name, uint64_t value)
{
    json_add(object, name, cJSON_CreateNumber((double)value));
}

void json_add_bool(cJSON *object, const char *name, bool value)
{
    json_add(object, name, cJSON_CreateBool(value));
}

cJSON *json_object(void)
{
    return mem_checked(cJSON_CreateObject());
}

cJSON *json_array(void)
{
    return mem_checked(cJSON_CreateArray());
}

void json_append(cJSON *array, cJSON *value)
{
    mem_checked(value);
    if (!cJSON_AddItemToArray(array, value)) {
        mem_checked(NULL);
    }
}

char *json_print(const cJSON *value, bool pretty)
{
    return mem_checked(pretty ? cJSON_Print(value) : cJSON_PrintUnformatted(value));
}

void json_quote(struct buf *out, const char *s, size_t n)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') {
            buf_addc(out, '\\');
            buf_addc(out, (char)c);
        } else if (c < 0x20) {
            buf_addf(out, "\\u%04x", c);
        } else {
            buf_addc(out, (char)c);
        }
    }
    buf_addc(out, '"');
}

/* ---- spans --------------------------------------------------------------------------------- */

static size_t utf8_put(char *out, unsigned cp)
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

char *json_decode(struct json_span string, size_t *len)
{
    if (string.at == NULL || string.len < 2 || string.at[0] != '"' ||
        string.at[string.len - 1] != '"') {
        return NULL;
    }
    const char *p = string.at + 1, *end = string.at + string.len - 1;
    /* no escape makes a text longer than it was, save that \u0000 stays within its six bytes */
    char *out = mem_alloc(string.len);
    size_t n = 0;
    while (p < end) {
        if (*p != '\\') {
            out[n++] = *p++;
            continue;
        }
        if (end - p < 2) {
            break;
        }
        char e = p[1];
        p += 2;
        if (e != 'u') {
            static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
            const char *at = strchr(from, e);
            out[n++] = at != NULL && e != '\0' ? to[at - from] : e;
            continue;
        }
        int hi = hex4(p, end);
        if (hi < 0) {
            break;
        }
        p += 4;
        unsigned cp = (unsigned)hi;
        if (cp >= 0xd800 && cp < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
            int lo = hex4(p + 2, end);
            if (lo >= 0xdc00 && lo < 0xe000) {
                cp = 0x10000 + ((cp - 0xd800) << 10) + ((unsigned)lo - 0xdc00);
                p += 6;
            }
        }
        if ((cp >= 0xd800 && cp < 0xe000) || cp == 0) {
            cp = 0xfffd; /* a lone surrogate, or a NUL that C strings cannot hold */
        }
        n += utf8_put(out + n, cp);
    }
    out[n] = '\0';
    if (len != NULL) {
        *len = n;
    }
    return out;
}

bool json_name_is(struct json_span quoted, const char *name)
{
    size_t n = strlen(name);
    if (quoted.len == n + 2 && memcmp(quoted.at + 1, name, n) == 0) {
        return true; /* `name` holds no backslash, so equal bytes are equal names */
    }
    if (memchr(quoted.at, '\\', quoted.len) == NULL) {
        return false;
    }
    char *decoded = json_decode(quoted, NULL);
    bool same = decoded != NULL && strcmp(decoded, name) == 0;
    free(decoded);
    return same;
}

/* ---- walking -------------------------------------------------------------------------------- */

void json_walk_start(struct json_walk *w, const char *bytes, size_t len)
{
    *w = (struct json_walk){bytes, bytes + len, NULL, false};
}

bool json_enter(struct json_walk *w, char bracket)
{
    if (w->why != NULL) {
        return false;
    }
    skip_space(w);
    if (w->p >= w->end || *w->p != bracket) {
        return fault(w, bracket == '{' ? "expected an object" : "expected an array");
    }
    w->p++;
    w->first = true;
    return true;
}

/* Steps over the comma, or the bracket at the end. */
static bool step(struct json_walk *w, char closing)
{
    if (w->why != NULL) {
        return false;
    }
    skip_space(w);
    bool first = w->first;
    w->first = false;
    if (w->p >= w->end) {
        return fault(w, "the text ends in the middle");
    }
    if (*w->p == closing) {
        w->p++;
        return false;
    }
    if (!first) {
        if (*w->p != ',') {
            return fault(w, closing == '}' ? "expected , or }" : "expected , or ]");
        }
        w->p++;
        skip_space(w);
    }
    return true;
}

bool json_next_member(struct json_walk *w, struct json_span *name)
{
    if (!step(w, '}')) {
        return false;
    }
    if (w->p >= w->end || *w->p != '"') {
        return fault(w, "expected a member name");
    }
    name->at = w->p;
    if (!scan_string(w)) {
        return false;
    }
    name->len = (size_t)(w->p - name->at);
    skip_space(w);
    if (w->p >= w->end || *w->p != ':') {
        return fault(w, "expected :");
    }
    w->p++;
    return true;
}

bool json_next_element(struct json_walk *w)
{
    return step(w, ']');
}

bool json_take(struct json_walk *w, struct json_span *value)
{
    *value = (struct json_span){NULL, 0};
    if (w->why != NULL) {
        return false;
    }
    skip_space(w);
    const char *from = w->p;
    if (!scan_value(w)) {
        return false;
    }
    *value = (struct json_span){from, (size_t)(w->p - from)};
    return true;
}

bool json_walk_end(struct json_walk *w)
{
    if (w->why == NULL) {
        skip_space(w);
        if (w->p < w->end) {
            fault(w, "something after the JSON value");
        }
    }
    return w->why == NULL;
}

bool json_member(const char *object, size_t len, const char *name, struct json_span *value,
                 struct json_span *member)
{
    struct json_walk w;
    struct json_span key, v;
    bool found = false;
    *value = (struct json_span){NULL, 0};
    if (member != NULL) {
        *member = *value;
    }
    json_walk_start(&w, object, len);
    if (!json_enter(&w, '{')) {
        return false;
    }
    while (json_next_member(&w, &key) && json_take(&w, &v)) {
        if (json_name_is(key, name)) {
            found = true;
            *value = v;
            if (member != NULL) {
                *member = (struct json_span){key.at, (size_t)(w.p - key.at)};
            }
        }
    }
    return found;
}

int json_set(struct buf *out, const char *object, size_t len, const char *name, const char *value)
{
    struct json_span old;
    if (json_member(object, len, name, &old, NULL)) {
        size_t before = (size_t)(old.at - object);
        return buf_add(out, object, before) < 0 || buf_adds(out, value) < 0 ||
                       buf_add(out, old.at + old.len, len - before - old.len) < 0
                   ? -1
                   : 0;
    }
    const char *brace = memchr(object, '{', len);
    if (brace == NULL) {
        return -1;
    }
    size_t head = (size_t)(brace - object) + 1;
    struct json_walk s = {object + head, object + len, NULL, false};
    skip_space(&s);
    bool empty = s.p < s.end && *s.p == '}';
    if (buf_add(out, object, head) < 0) {
        return -1;
    }
    json_quote(out, name, strlen(name));
    return buf_addc(out, ':') < 0 || buf_adds(out, value) < 0 ||
                   (!empty && buf_addc(out, ',') < 0) || buf_add(out, object + head, len - head) < 0
               ? -1
               : 0;
}

long json_each(const char *p, size_t len, int (*each)(void *arg, struct json_span element),
               void *arg, const char **end)
{
    struct json_walk w;
    struct json_span element;
    long n = 0;
    json_walk_start(&w, p, len);
    if (!json_enter(&w, '[')) {
        return -1;
    }
    while (json_next_element(&w) && json_take(&w, &element)) {
        n++;
        if (each(arg, element) != 0) {
            return n;
        }
    }
    if (w.why != NULL) {
        return -1;
    }
    if (end != NULL) {
        *end = w.p;
    }
    return n;
}
