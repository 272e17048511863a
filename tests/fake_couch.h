/* A stand-in for CouchDB in memory, on loopback: databases, documents, _bulk_docs, _all_docs,
 * attachments, design documents and the full-text engines, enough for runs of the workloads in
 * which every answer can be spoiled. It runs no JavaScript and answers no views and no Mango
 * queries but $text. */
#ifndef TESTS_FAKE_COUCH_H
#define TESTS_FAKE_COUCH_H

#include <stdbool.h>

#include "net/stub.h"

struct fake_couch;

struct fake_couch_config {
    bool nouveau, clouseau; /* engines that are there; Mango text goes with Clouseau */
    /* Asked before every request: true if it has answered. */
    bool (*hook)(void *arg, const struct stub_request *r, struct stub_answer *a);
    void *arg;
};

struct fake_couch *fake_couch_start(const struct fake_couch_config *config);
void fake_couch_stop(struct fake_couch *f);
const char *fake_couch_url(const struct fake_couch *f);
unsigned fake_couch_databases(const struct fake_couch *f); /* that are there now */
unsigned fake_couch_searches(const struct fake_couch *f);  /* full-text queries answered */
unsigned fake_couch_wrong(const struct fake_couch *f);     /* search requests of another form than
                                                              the documented one */

/* Answers with a status and a text. */
void fake_couch_answer(struct stub_answer *a, int status, const char *text);

#endif
