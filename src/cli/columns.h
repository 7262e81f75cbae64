/*
 * columns - records as sstat and the accounting commands print them: named fields of fixed width under a line of
 * dashes, or parted by bars.
 *
 * A field is asked for as "name", "name%20" or "name%-20" (negative: to the left); the beginning of a name is enough.  A
 * value that is too long ends in a plus sign.
 */
#ifndef SPUR_CLI_COLUMNS_H
#define SPUR_CLI_COLUMNS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

struct column_row;
typedef void column_put_fn(struct buf *out, const struct column_row *f, const void *row);

struct column_row {
    const char *name; /* NULL ends the table */
    int width;        /* usual; negative: to the left */
    column_put_fn *put;
    int a, b; /* for functions that serve several fields */
};

enum column_style { COLUMNS_WIDE, COLUMNS_BARS, COLUMNS_BARS_BETWEEN };

struct columns {
    enum column_style style;
    VEC(struct column_one) at;
};

struct column_one {
    const struct column_row *field;
    int width;
};

void columns_clear(struct columns *c);
/* Add fields by comma.  EINVAL: one is not in the table. */
int columns_add(struct columns *c, const struct column_row *table, const char *spec, struct err *err);
void columns_head(const struct columns *c, struct buf *out);
void columns_line(const struct columns *c, const void *row, struct buf *out);
/* --helpformat: four names a line. */
void columns_help(const struct column_row *table, struct buf *out);

#endif
