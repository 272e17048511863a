/* netrc: the one file of names and passwords that many tools share (GNU inetutils' and curl's
 * grammar). libcurl reads it too, but only inside a transfer: what it found is not to be had from
 * it, and the password is needed for _session and for saying who was used. */
#ifndef COUCH_NETRC_H
#define COUCH_NETRC_H

#include <stddef.h>

/* Looks for `host` (compared without case), or the `default` entry, in the text of a netrc file;
 * `login` not NULL: only entries with this login count. 1 and what the entry has (the caller wipes
 * and frees; NULL where it has none), 0 if there is no entry, -1 if the text is not of the grammar,
 * with the line in *line. */
int netrc_find(const char *text, size_t len, const char *host, const char *login, char **user,
               char **password, unsigned *line);

#endif
