#include "bench/blob.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"
#include "base/rng.h"

/* A prime, so that steps through the block meet every place: number × STEP modulo BLOCK is
 * different for 8 million objects in a row. */
#define BLOCK ((uint64_t)8388593)
#define STEP 1000003u
#define VERSION_STEP 500009u

struct blobs {
    unsigned char *block; /* BLOCK bytes */
    uint64_t size;        /* of an object */
};

struct blobs *blobs_new(uint64_t object_size)
{
    struct blobs *b = mem_zero(1, sizeof *b);
    struct rng r;
    b->size = object_size;
    b->block = mem_alloc(BLOCK);
    rng_seed(&r, 20130724);
    rng_fill(&r, b->block, BLOCK);
    return b;
}

void blobs_free(struct blobs *b)
{
    if (b != NULL) {
        free(b->block);
        free(b);
    }
}

/* The longest piece of the block that holds the object's bytes from `offset` on. */
static const unsigned char *piece(const struct blobs *b, uint64_t number, unsigned version,
                                  uint64_t offset, size_t *n)
{
    uint64_t at = (number % BLOCK * STEP + (uint64_t)version * VERSION_STEP + offset) % BLOCK;
    uint64_t left = offset < b->size ? b->size - offset : 0;
    uint64_t run = BLOCK - at < left ? BLOCK - at : left;
    *n = run < *n ? (size_t)run : *n;
    return b->block + at;
}

size_t blob_copy(const struct blobs *b, uint64_t number, unsigned version, uint64_t offset,
                 void *out, size_t n)
{
    size_t done = 0;
    while (done < n) {
        size_t part = n - done;
        const unsigned char *from = piece(b, number, version, offset + done, &part);
        if (part == 0) {
            break;
        }
        memcpy((char *)out + done, from, part);
        done += part;
    }
    return done;
}

bool blob_equal(const struct blobs *b, uint64_t number, unsigned version, uint64_t offset,
                const void *bytes, size_t n)
{
    size_t done = 0;
    while (done < n) {
        size_t part = n - done;
        const unsigned char *from = piece(b, number, version, offset + done, &part);
        if (part == 0 || memcmp((const char *)bytes + done, from, part) != 0) {
            return false;
        }
        done += part;
    }
    return true;
}

uint64_t blob_base64_size(const struct blobs *b)
{
    return (b->size + 2) / 3 * 4;
}

size_t blob_copy_base64(const struct blobs *b, uint64_t number, unsigned version, uint64_t offset,
                        char *out, size_t n)
{
    size_t done = 0;
    while (done < n) {
        unsigned char raw[3 * 1024];
        char text[4 * 1024 + 1];
        uint64_t at = offset + done;
        size_t got = blob_copy(b, number, version, at / 4 * 3, raw, sizeof raw);
        if (got == 0) {
            break;
        }
        int made = EVP_EncodeBlock((unsigned char *)text, raw, (int)got);
        size_t skip = (size_t)(at % 4), part = (size_t)made - skip;
        part = part < n - done ? part : n - done;
        memcpy(out + done, text + skip, part);
        done += part;
    }
    return done;
}

void blob_md5(const struct blobs *b, uint64_t number, unsigned version, char *out)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int digest_len = 0;
    EVP_MD_CTX *ctx = mem_checked(EVP_MD_CTX_new());
    EVP_DigestInit_ex(ctx, EVP_md5(), NULL);
    for (uint64_t offset = 0; offset < b->size;) {
        size_t n = SIZE_MAX;
        const unsigned char *from = piece(b, number, version, offset, &n);
        EVP_DigestUpdate(ctx, from, n);
        offset += n;
    }
    EVP_DigestFinal_ex(ctx, digest, &digest_len);
    EVP_MD_CTX_free(ctx);
    EVP_EncodeBlock((unsigned char *)out, digest, (int)digest_len);
}
