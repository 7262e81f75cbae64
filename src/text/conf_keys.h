/*
 * conf_keys - every key of slurm.conf, and what Spur does with it.
 *
 * One row per key: its type, what `scontrol show config` prints when it is not set, where the value goes, and whether
 * Spur acts on it.  A key that is not in the table is an error; one that is there and NOT_USED is reported at start.
 */
#ifndef SPUR_TEXT_CONF_KEYS_H
#define SPUR_TEXT_CONF_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Which line a key stands on. */
enum conf_kind { CONF_GLOBAL, CONF_NODE, CONF_PART, CONF_DOWN, CONF_NODESET, CONF_POWER, CONF_KINDS };

/* What the value is, and the C type of the field it goes into. */
enum conf_type {
    CONF_TEXT,    /* char *: any text */
    CONF_LIST,    /* char *: comma-separated words */
    CONF_HOSTS,   /* char *: a hostlist expression */
    CONF_WORD,    /* char *: one of `words`, in the table's spelling */
    CONF_WORDS,   /* char *: comma-separated words, each one of `words` */
    CONF_FLAGS,   /* the same, and other words are left out: so does Slurm */
    CONF_LEVEL,   /* char *: a log level, by name or number; the name is kept */
    CONF_BOOL,    /* bool: yes, true, up, 1 / no, false, down, 0 */
    CONF_U16,     /* uint16_t: a number; INFINITE and UNLIMITED are the type's largest */
    CONF_U32,     /* uint32_t: the same, with K for 1024 */
    CONF_U64,     /* uint64_t: the same, with K for 1024 */
    CONF_MINUTES, /* uint32_t: a Slurm time, rounded up to minutes; UINT32_MAX for INFINITE */
    CONF_SECONDS, /* uint32_t: a Slurm time in seconds; UINT32_MAX for INFINITE */
    CONF_IDLE,    /* uint32_t: seconds; INFINITE, NONE and -1 are UINT32_MAX */
    CONF_PORTS,   /* no field: one port or a range of them */
    CONF_MANY,    /* no field: may stand on several lines, each adds */
    CONF_GONE,    /* removed from Slurm: an error that tells what took its place (`words`) */
};

enum conf_use { NOT_USED, USED };

struct conf_key {
    const char *name;
    enum conf_type type;
    enum conf_use use;
    const char *dflt;  /* as written in a file; NULL: not set */
    const char *words; /* CONF_WORD(S), CONF_FLAGS: `|`-separated; "YES>ANY" is another way to say ANY */
    uint32_t at;       /* offset of the field plus one; 0: only the text is kept */
    const char *alias; /* this is an older name of that key */
};

#define CONF_KEYS_MAX 320 /* rows of one kind */

/* The rows of a kind, sorted by name without regard to case. */
const struct conf_key *conf_keys(enum conf_kind kind, size_t *n);

/* The row for `name`, any case, an alias followed; NULL when there is none. */
const struct conf_key *conf_key_find(enum conf_kind kind, const char *name);

/* The known key that is nearest to `name`, or NULL when none is near. */
const char *conf_key_nearest(enum conf_kind kind, const char *name);

/* The kind of a line by its first key: NodeName gives CONF_NODE ...; CONF_GLOBAL for all others. */
enum conf_kind conf_line_kind(const char *first_key);

struct conf_value {
    uint64_t number;  /* numbers, times, bool */
    const char *text; /* texts; words are in `scratch` */
};

/* Read `value` as the row's type.  The sentence of an error tells key and value; the caller adds the place.  `scratch`
 * holds words in the table's spelling and order. */
int conf_value_parse(const struct conf_key *key, const char *value, struct conf_value *out, struct buf *scratch,
                     struct err *err);

/* Put it at the row's offset from `base`; rows without a field are left alone. */
void conf_value_store(const struct conf_key *key, const struct conf_value *value, void *base);

#endif
