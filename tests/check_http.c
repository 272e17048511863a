#include <string.h>

#include "net/http.h"
#include "net/stub.h"
#include "tests/testing.h"

START_TEST(answers)
{
    struct err err = ERR_INIT;
    struct stub *stub = stub_start(&(struct stub_config){0}, &err);
    ck_assert_msg(stub != NULL, "%s", err.text);
    struct http *h = http_new(&(struct http_config){.concurrency = 1}, &err);
    ck_assert_msg(h != NULL, "%s", err.text);
    for (int i = 0; i < 3; i++) {
        struct http_request request = {.method = HTTP_GET, .url = stub_url(stub)};
        struct http_reply reply;
        http_call(h, &request, &reply);
        ck_assert_msg(reply.outcome == HTTP_ANSWERED, "%s", reply.error);
        ck_assert_int_eq(reply.status, 200);
        ck_assert_str_eq(reply.body.data, "{\"ok\":true}");
        ck_assert_uint_eq(reply.connections, i == 0);
        buf_free(&reply.body);
    }
    http_free(h);
    stub_stop(stub);
}
END_TEST

TEST_MAIN("http", answers)
