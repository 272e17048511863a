/* json: case-sensitive getters over cJSON, a strict validator, and editing of single members in
 * place, so that documents pass through as the bytes they are.
 *
 * cJSON keeps numbers as doubles, cuts strings at \u0000 and accepts invalid UTF-8, so it is used
 * for answers and settings only, never to copy a document. cJSON_GetErrorPtr (a static) is never
 * called. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"

#define JSON_DEPTH_MAX 200 /* nesting allowed in anything read; cJSON's own limit is 1,000 */

/* RFC 8259, one value and white space, valid UTF-8, nesting within JSON_DEPTH_MAX. 0, or -1 with
 * the byte offset and what is wrong there (kind ERR_STEP; callers change it). */
int json_validate(const char *bytes, size_t len, struct err *err);

/* Parses after validating. The caller frees with cJSON_Delete. NULL with a reason. */
cJSON *json_parse(const char *bytes, size_t len, struct err *err);

/* Members of an object by exact name; the default if missing or of another type. Strings are
 * borrowed from the tree. */
const cJSON *json_get(const cJSON *object, const char *name); /* NULL if missing */
const char *json_str(const cJSON *object, const char *name, const char *otherwise);
double json_num(const cJSON *object, const char *name, double otherwise);
uint64_t json_u64(const cJSON *object, const char *name, uint64_t otherwise);
bool json_bool(const cJSON *object, const char *name, bool otherwise);

/* cJSON_AddX that cannot fail (out of memory ends the program). A NULL string adds nothing. */
void json_add_str(cJSON *object, const char *name, const char *value);
void json_add_num(cJSON *object, const char *name, double value);
void json_add_u64(cJSON *object, const char *name, uint64_t value); /* exact up to 2^53 */
void json_add_bool(cJSON *object, const char *name, bool value);
cJSON *json_add(cJSON *object, const char *name, cJSON *value); /* takes value; returns it */
cJSON *json_object(void);
cJSON *json_array(void);
void json_append(cJSON *array, cJSON *value); /* takes value */

/* Prints; the caller frees. Never NULL. */
char *json_print(const cJSON *value, bool pretty);

/* Appends `s` as a JSON string with its quotes. */
void json_quote(struct buf *out, const char *s, size_t n);

/* A piece of a JSON text. */
struct json_span {
    const char *at; /* NULL: not there */
    size_t len;
};

/* Walking a JSON text in one pass, without a tree: for answers too big for one. After json_enter
 * ('{' or '[') call json_next_member or json_next_element until it is false, and after each either
 * json_take the value or json_enter it and walk that to its end. Everything is checked on the way
 * as by json_validate (depth: of each taken value); once `why` is set all calls give false.
 *
 *     json_walk_start(&w, bytes, len);
 *     if (json_enter(&w, '{'))
 *         while (json_next_member(&w, &name) && json_take(&w, &value))
 *             ...
 *     if (!json_walk_end(&w)) ... w.why, w.p ... */
struct json_walk {
    const char *p, *end;
    const char *why; /* first fault, found at p; NULL: none */
    bool first;      /* just entered: no comma is due */
};
void json_walk_start(struct json_walk *w, const char *bytes, size_t len);
bool json_enter(struct json_walk *w, char bracket);
bool json_next_member(struct json_walk *w, struct json_span *name); /* name: with its quotes */
bool json_next_element(struct json_walk *w);
bool json_take(struct json_walk *w, struct json_span *value);
bool json_walk_end(struct json_walk *w); /* nothing but white space may follow */

/* Whether a name (a JSON string span) reads `name` once its escapes are decoded. */
bool json_name_is(struct json_span quoted, const char *name);

/* The raw bytes of a top-level member's value in the text of one valid object (json_validate), and
 * if `member` is not NULL the span from the opening quote of its name to the end of its value. The
 * last of several equal names counts, as JavaScript has it. Names are compared after decoding
 * escapes. Returns whether it was there. */
bool json_member(const char *object, size_t len, const char *name, struct json_span *value,
                 struct json_span *member);

/* Decodes a JSON string span (with its quotes) to UTF-8; \u0000 becomes U+FFFD. The caller frees.
 * NULL if the span is not a string. */
char *json_decode(struct json_span string, size_t *len);

/* Copies a valid object text with one top-level member set to `value` (JSON text): replaced where
 * it stands, or put first. Every other byte stays as it is. Returns 0, or -1 when `out` is full. */
int json_set(struct buf *out, const char *object, size_t len, const char *name, const char *value);

/* Calls `each` for every element of a JSON array that starts at `p` (raw spans, no tree built).
 * Stops early when `each` returns non-zero. Returns the number of elements seen or -1 if the bytes
 * are not a well-formed array; `end` (may be NULL) is set past its closing bracket. */
long json_each(const char *p, size_t len, int (*each)(void *arg, struct json_span element),
               void *arg, const char **end);

#endif
