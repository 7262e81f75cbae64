/*
 * name - a text that many jobs have in common (their partition, their user), kept once and counted.
 *
 * A name is a plain `char *` that is never changed.  The entry of a name knows its table, so a reference is given back
 * without the table; the table has to live longer than its names.
 */
#ifndef SPUR_CORE_NAME_H
#define SPUR_CORE_NAME_H

#include "base/map.h"

struct name_table {
    struct smap by_text;
};

/* A reference to this text; NULL counts as "".  Give it back with name_unref(). */
char *name_ref(struct name_table *t, const char *text);
void name_unref(char *name); /* NULL is welcome */
/* Let `*where` refer to this text instead of what it was. */
void name_set(struct name_table *t, char **where, const char *text);
/* The references are all given back: the table is empty and takes no memory. */
void name_table_clear(struct name_table *t);

#endif
