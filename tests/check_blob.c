#include <string.h>

#include "base/mem.h"
#include "bench/blob.h"
#include "tests/testing.h"

/* Bytes are the same however they are cut, and wrap around the block. */
START_TEST(pieces)
{
    static const size_t cuts[] = {1, 7, 4096, 100000, 20000000};
    enum { SIZE = 20000000 }; /* larger than the block */
    struct blobs *b = blobs_new(SIZE);
    unsigned char *whole = mem_alloc(SIZE), *other = mem_alloc(SIZE);
    ck_assert_uint_eq(blob_copy(b, 3, 1, 0, whole, SIZE), SIZE);
    for (size_t i = 2; i < sizeof cuts / sizeof cuts[0]; i++) {
        size_t at = 0, n;
        while ((n = blob_copy(b, 3, 1, at, other + at, cuts[i])) > 0) {
            at += n;
        }
        ck_assert_uint_eq(at, SIZE);
        ck_assert_int_eq(memcmp(whole, other, SIZE), 0);
    }
    ck_assert(blob_equal(b, 3, 1, 0, whole, SIZE));
    ck_assert(blob_equal(b, 3, 1, 12345, whole + 12345, 678));
    whole[SIZE - 1] ^= 1;
    ck_assert(!blob_equal(b, 3, 1, 0, whole, SIZE));
    ck_assert(!blob_equal(b, 3, 1, SIZE - 1, whole, 2)); /* longer than the object */
    free(whole);
    free(other);
    blobs_free(b);
}
END_TEST

START_TEST(distinct)
{
    struct blobs *b = blobs_new(1000);
    char first[28], other[28];
    blob_md5(b, 0, 0, first);
    ck_assert_uint_eq(strlen(first), 24);
    for (uint64_t number = 0; number < 200; number++) {
        for (unsigned version = 0; version < 2; version++) {
            blob_md5(b, number, version, other);
            ck_assert((number == 0 && version == 0) == (strcmp(first, other) == 0));
        }
    }
    blobs_free(b);
}
END_TEST

START_TEST(base64)
{
    static const size_t sizes[] = {1, 2, 3, 4, 1000, 3071, 3072, 3073, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct blobs *b = blobs_new(sizes[i]);
        uint64_t n = blob_base64_size(b);
        ck_assert_uint_eq(n, (sizes[i] + 2) / 3 * 4);
        char *whole = mem_zero(n + 1, 1), *other = mem_zero(n + 1, 1);
        ck_assert_uint_eq(blob_copy_base64(b, 5, 0, 0, whole, n), n);
        for (uint64_t at = 0; at < n;) { /* odd cuts give the same text */
            size_t got = blob_copy_base64(b, 5, 0, at, other + at, n - at < 777 ? n - at : 777);
            ck_assert_uint_gt(got, 0);
            at += got;
        }
        ck_assert_str_eq(whole, other);
        ck_assert_uint_eq(strspn(whole, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                        "0123456789+/="),
                          n);
        ck_assert_uint_eq(blob_copy_base64(b, 5, 0, n, other, 10), 0);
        free(whole);
        free(other);
        blobs_free(b);
    }
}
END_TEST

TEST_MAIN("blob", pieces, distinct, base64)
