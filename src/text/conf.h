/*
 * conf - the grammar of slurm.conf and its siblings: lines of key=value, as Slurm reads them.
 *
 * A `#` starts a comment, a backslash keeps the next character (so `\#` is a `#`) or joins the next line, values
 * with blanks stand in double quotes, `Include FILE` reads FILE in place.  Keys are not looked at: conf_keys knows
 * them.  The texts of a conf are its own; every line knows the file and the number it came from, every error says them.
 */
#ifndef SPUR_TEXT_CONF_H
#define SPUR_TEXT_CONF_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#define CONF_FILE_MAX ((size_t)16 << 20) /* bytes of one file */
#define CONF_FILES_MAX 512               /* files of one configuration, so that Includes end */
#define CONF_DEPTH_MAX 16                /* Includes within Includes */

struct conf_pair {
    const char *key;
    const char *value;
};

/* One logical line: pair[first] .. pair[first + n - 1] of its conf; n >= 1.  `Feature+=x` is read as `Feature=x`: so
 * does Slurm. */
struct conf_line {
    const char *file;
    uint32_t number; /* of its first physical line, from 1 */
    uint32_t first, n;
};

struct conf {
    VEC(struct conf_line) line;
    VEC(struct conf_pair) pair;
    VEC(char *) text;    /* what the pairs point into */
    const char *cluster; /* the last ClusterName seen, for %c in Include; NULL before one */
};

#define CONF_INIT { .cluster = NULL }
#define auto_conf __attribute__((cleanup(conf_clear)))

void conf_clear(struct conf *c); /* free; reusable after */

/* Append the file at `path`, and what it includes.  ENOENT and friends, EFBIG, or EINVAL and the mistake's place. */
int conf_read(struct conf *c, const char *path, struct err *err);

/* Reads the included file `path` into `out`; 0 or an error number with the sentence in `err`. */
typedef int conf_open_fn(void *arg, const char *path, struct buf *out, struct err *err);

/* Append `len` bytes of `text` under the name `file` (which gives the folder of relative Includes).  With `open` NULL
 * an Include is an error. */
int conf_parse_text(struct conf *c, const char *text, size_t len, const char *file, conf_open_fn *open, void *arg,
                    struct err *err);

/* The value of `key` on this line, or NULL; of several, the last. */
const char *conf_line_value(const struct conf *c, const struct conf_line *line, const char *key);

#endif
