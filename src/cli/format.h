/*
 * format - columns of text from records: what -o ("%.8i %j"), -O ("jobid:8,name") and the ready-made forms become.
 *
 * A table of fields says how a value is put; a format is a list of columns over such a table.  A row is
 * written straight into the output: no text is made for a single value.
 */
#ifndef SPUR_CLI_FORMAT_H
#define SPUR_CLI_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

#define FORMAT_WIDTH 20  /* of a column of -O that says none */

struct field;
/* Append the field's text for this row. */
typedef void field_put_fn(struct buf *out, const struct field *f, const void *row);

struct field {
    const char *name;    /* for -O, any case; NULL ends the table */
    char letter;         /* for -o; 0: none */
    const char *head;
    field_put_fn *put;
    size_t at;           /* for put functions that serve several fields: where the value is */
    const char *none;    /*   and what stands for an empty one */
    bool alias;          /* another name of a field that is in the table already: not listed by --helpFormat */
};

struct column {
    const struct field *field;  /* NULL: only the text after it */
    unsigned width;             /* 0: as long as it is */
    bool right;
    char *after;                /* text up to the next column; owned */
};

struct format {
    char *before;               /* text before the first column; owned */
    VEC(struct column) column;
};

/* Says what was wrong with one column; the others are kept. */
typedef void format_bad_fn(const char *what);

void format_clear(struct format *f);

/* Add the columns of "%[[.]width]letter[text]...". */
void format_parse(struct format *f, const struct field *table, const char *spec, format_bad_fn *bad);
/* Add the columns of "name[:[.]width[text]],...". */
void format_parse_names(struct format *f, const struct field *table, const char *spec, format_bad_fn *bad);

/* Append the line of headers, or the line for a row. */
void format_head(const struct format *f, struct buf *out);
void format_row(const struct format *f, const void *row, struct buf *out);

/* Does a column show this field? */
bool format_has(const struct format *f, field_put_fn *put);

/* --helpformat: "%a    %F    ..." in lines of eight; --helpFormat: names in lines of four. */
void format_help(const struct field *table, struct buf *out);
void format_help_names(const struct field *table, struct buf *out);

#endif
