#include "bench/change.h"
#include "tests/testing.h"

#include <string.h>

static cJSON *parse(const char *text)
{
    cJSON *json = json_parse(text, strlen(text), NULL);
    ck_assert_ptr_nonnull(json);
    return json;
}

START_TEST(differences)
{
    static const struct {
        const char *before, *after, *want;
    } rows[] = {
        {"{\"stats\":{\"a\":{\"b\":{\"value\":3,\"type\":\"counter\",\"desc\":\"x\"},"
         "\"h\":{\"value\":{\"n\":1},\"type\":\"histogram\"},\"g\":{\"value\":1,\"type\":\"gauge\"}"
         "}}}",
         "{\"stats\":{\"a\":{\"b\":{\"value\":10,\"type\":\"counter\",\"desc\":\"x\"},"
         "\"h\":{\"value\":{\"n\":5},\"type\":\"histogram\"},\"g\":{\"value\":9,\"type\":\"gauge\"}"
         "}}}",
         "{\"stats\":{\"a.b\":7}}"},
        {"{\"system\":{\"memory\":{\"x\":5,\"y\":1},\"z\":2}}",
         "{\"system\":{\"memory\":{\"x\":3,\"y\":1},\"z\":4,\"new\":1}}",
         "{\"system\":{\"memory.x\":-2,\"z\":2}}"},
        {"{\"stats\":{}}", "{\"system\":{}}", NULL},
        {"{\"stats\":7}", "{\"stats\":[1,{\"a\":2}]}", "{\"stats\":{}}"},
        {"{}", "{\"stats\":{\"a\":1}}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cJSON *before = parse(rows[i].before), *after = parse(rows[i].after);
        cJSON *change = change_of(before, after);
        ck_assert_msg((change == NULL) == (rows[i].want == NULL), "row %zu", i);
        if (change != NULL) {
            char *text = json_print(change, false);
            ck_assert_str_eq(text, rows[i].want);
            free(text);
        }
        cJSON_Delete(change);
        cJSON_Delete(before);
        cJSON_Delete(after);
    }
    ck_assert_ptr_null(change_of(NULL, NULL));
}
END_TEST

TEST_MAIN("counters", differences)
