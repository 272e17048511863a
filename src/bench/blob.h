/* blob: the bytes of objects: cut from one block of random bytes that is made before any clock, so
 * that nothing is computed while they are sent, and memory does not grow with their size or number.
 *
 * An object's bytes depend on its number and version only, begin at a different place of the block
 * for each (so that no two objects have the same digest, which a server could store once), and go
 * on from the block's beginning where it ends. */
#ifndef BENCH_BLOB_H
#define BENCH_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blobs;

struct blobs *blobs_new(uint64_t object_size); /* bytes of each object */
void blobs_free(struct blobs *b);              /* NULL is fine */

/* Copies at most n bytes of the object from `offset` on; the count (0 at its end). */
size_t blob_copy(const struct blobs *b, uint64_t number, unsigned version, uint64_t offset,
                 void *out, size_t n);

/* Whether `bytes` are the object's from `offset` on. */
bool blob_equal(const struct blobs *b, uint64_t number, unsigned version, uint64_t offset,
                const void *bytes, size_t n);

/* The same for its base64 form, which has blob_base64_size bytes. */
uint64_t blob_base64_size(const struct blobs *b);
size_t blob_copy_base64(const struct blobs *b, uint64_t number, unsigned version, uint64_t offset,
                        char *out, size_t n);

/* MD5 of the object in base64, as servers give it ("md5-" digests, Content-MD5, ETag). Hashes the
 * whole object: outside every clock. `out` holds at least 25 bytes. */
void blob_md5(const struct blobs *b, uint64_t number, unsigned version, char *out);

#endif
