/*
 * show - one typed field table per record; columns, scontrol's pairs, JSON and YAML are rendered from it.
 *
 * A getter reads a record and fills a value: it never formats.  A type formats a value: it never sees a record.  "Not
 * set" and "infinite" are states of a value; "N/A", "(null)", "UNLIMITED" and {"set": false} are what a style makes of
 * them.
 * A row of a table that has a -O name, a scontrol key and a JSON path shows the field in all three places.
 */
#ifndef SPUR_SHOW_SHOW_H
#define SPUR_SHOW_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

/* ---- values ---- */

enum show_state { SHOW_UNSET, SHOW_SET, SHOW_INFINITE };

/* The sub-rows of a SHOW_RECORDS value: at(of, i, room) returns row i, perhaps built in `room`. */
#define SHOW_ROOM 128
typedef const void *show_row_fn(const void *of, size_t i, void *room);
struct show_rows {
    size_t n;
    const void *of;
    show_row_fn *at;
};

struct show_value {
    enum show_state state;
    union {
        const char *text; /* borrowed until the row changes; NULL: the text was appended to `scratch` */
        int64_t number;
        double real;
        struct show_rows rows;
    };
    struct buf *scratch; /* for texts that must be made; see show_make */
};

/* How getters fill a value.  An empty text is UNSET. */
static inline void show_set_text(struct show_value *v, const char *text)
{
    v->state = text && *text ? SHOW_SET : SHOW_UNSET;
    v->text = text;
}
static inline void show_set_number(struct show_value *v, int64_t n)
{
    v->state = SHOW_SET;
    v->number = n;
}
static inline void show_set_count(struct show_value *v, int64_t n) /* 0 is UNSET */
{
    v->state = n ? SHOW_SET : SHOW_UNSET;
    v->number = n;
}
static inline void show_set_real(struct show_value *v, double d)
{
    v->state = SHOW_SET;
    v->real = d;
}
static inline void show_set_infinite(struct show_value *v)
{
    v->state = SHOW_INFINITE;
}
/* Append the text to the returned buffer; appending nothing is UNSET. */
static inline struct buf *show_make(struct show_value *v)
{
    v->state = SHOW_SET;
    v->text = NULL;
    return v->scratch;
}

/* ---- types ---- */

enum show_type {
    SHOW_END,       /* of a table */
    /* texts */
    SHOW_TEXT,      /* JSON: a string */
    SHOW_LIST,      /* words by comma; JSON: an array of strings */
    SHOW_LINES,     /* text lines, in scontrol each on a line of its own and without the key; JSON: as LIST */
    /* numbers; JSON is {"set", "infinite", "number"} for all but NUMBER, unless the row has SHOW_PLAIN */
    SHOW_NUMBER,    /* JSON: a plain number */
    SHOW_NUMBER_SET,
    SHOW_BOOL,      /* the texts of false and true are `none` and `yes`, or "0" and "1"; JSON: true or false */
    SHOW_TIME,      /* seconds since 1970; JSON: an unset time is a 0 that is set, as with SHOW_ZERO */
    SHOW_SECONDS,   /* a duration */
    SHOW_MINUTES,   /* a limit */
    SHOW_MEMORY_MB,
    SHOW_BYTES,     /* with the largest unit that loses nothing */
    SHOW_FLOAT,     /* printed by `format`; JSON: a plain number with a fraction */
    SHOW_FLOAT_SET,
    SHOW_EXIT_CODE, /* a wait status; JSON: {"status", "return_code", "signal"} */
    /* the rest */
    SHOW_RECORDS,   /* JSON: an array of rows of `sub`; in columns and pairs it has no text */
    SHOW_RECORD,    /* the same with one row; JSON: an object, or null without a row */
};

/* ---- tables ---- */

struct show_field;
typedef void show_get_fn(struct show_value *v, const struct show_field *f, const void *row);

enum show_flag {
    SHOW_PLAIN = 1, /* JSON: a plain number, 0 when unset, -1 when infinite */
    SHOW_ZERO = 2,  /* JSON: {"set": true, ..., "number": 0} when unset */
    SHOW_ALIAS = 4, /* a further name of another row: not listed by --helpFormat */
};

struct show_field {
    const char *name;      /* of -O and of sstat and sacct, any case; NULL: no column */
    char letter;           /* of -o; 0: none */
    const char *head;      /* of the column; NULL: the name */
    const char *key;       /* of scontrol show; NULL: not there */
    const char *json;      /* path in JSON and YAML, dots nest; NULL: not there */
    enum show_type type;
    show_get_fn *get;
    size_t at;             /* for getters that serve several rows: offset of a member, or a number */
    const char *of;        /* the protobuf members that the row shows, by blanks */
    const char *none;      /* text of an unset value in a column; NULL: the type's */
    const char *pair_none; /* the same in scontrol; NULL: the type's */
    const char *infinite;  /* text of an infinite value; NULL: the type's */
    const char *yes;       /* text of a true SHOW_BOOL */
    const char *format;    /* of SHOW_FLOAT, for printf; NULL: "%f".  Of SHOW_LINES: what precedes each on one line */
    show_get_fn *sort;     /* getter of the sort key where it is not `get`; a number */
    int width;             /* of the column in sstat and sacct; negative: to the left */
    const struct show_table *sub; /* of SHOW_RECORDS and SHOW_RECORD */
    uint8_t since, until;  /* data_parser versions that have the JSON path, the last included; 0: no limit */
    unsigned flags;        /* of enum show_flag */
    uint8_t group;         /* for tables whose rows stand for several records: how they are grouped by this field */
};

/* Protobuf members that no row shows, and why. */
struct show_skip {
    const char *members; /* by blanks */
    const char *why;
};

struct show_table {
    const char *record;             /* "job" */
    const struct show_field *field; /* ends with SHOW_END */
    const char *layout;             /* of scontrol show; see pairs.c */
    const struct show_skip *skip;   /* ends with NULL */
    const char *indent;             /* of the further lines of scontrol show; NULL: three blanks */
    bool dense;                     /* no empty line after a record of scontrol show */
    int help_width;                 /* of a name in --helpformat of sstat and its like; 0: 19 */
};

/* Getters that belong to no record. */
show_get_fn show_get_unset; /* the field exists and is never set here */
show_get_fn show_get_empty; /* of a SHOW_RECORD with the table below: an object without members */
extern const struct show_table show_empty;

/* By -O name (whole, any case), letter or scontrol key; NULL: none. */
const struct show_field *show_find(const struct show_table *t, const char *name, size_t len);
const struct show_field *show_find_letter(const struct show_table *t, char letter);
const struct show_field *show_find_key(const struct show_table *t, const char *key, size_t len);

/* ---- text (value.c) ---- */

enum show_style {
    SHOW_COLUMN,
    SHOW_PAIR,  /* scontrol: durations always with hours */
    SHOW_WIDE,  /* sstat and the accounting commands: the same, and what is unset is empty */
    SHOW_EXACT, /* the same with --noconvert: bytes without units */
};

/* Append the field's text.  Returns false when the value is unset (its `none` text was appended). */
bool show_text(struct buf *out, const struct show_field *f, const void *row, enum show_style style);
/* The same of a value that is there already. */
void show_value_text(struct buf *out, const struct show_field *f, const struct show_value *v, enum show_style style);
/* Fill `v`; a text that was made stands at the end of `scratch` and v->text points to it. */
void show_get(struct show_value *v, const struct show_field *f, const void *row, struct buf *scratch);
/* Which row comes first by this field: < 0, 0 or > 0. */
int show_cmp(const struct show_field *f, const void *a, const void *b);
/* Do values of this type hold `text`? */
static inline bool show_is_text(enum show_type type)
{
    return type >= SHOW_TEXT && type <= SHOW_LINES;
}

/* ---- columns (columns.c) ---- */

#define SHOW_WIDTH 20 /* of a column of -O without one */

struct show_column {
    const struct show_field *field; /* NULL: only the text after it */
    unsigned width;                 /* 0: as long as the value */
    bool right;
    char *after;                    /* text up to the next column; owned */
};

struct show_columns {
    char *before;                   /* text before the first column; owned */
    VEC(struct show_column) column;
    enum show_style style;
    bool mark_cut;                  /* a value that was cut ends in '+' */
    bool rule;                      /* a line of dashes under the header */
};

/* Reports a column that is not in the table; the other columns are kept. */
typedef void show_bad_fn(const char *what);

void show_columns_clear(struct show_columns *c);
/* Add the columns of -o: "%[[.]width]letter[text]...". */
void show_columns_letters(struct show_columns *c, const struct show_table *t, const char *spec, show_bad_fn *bad);
/* Add the columns of -O: "name[:[.]width[text]],...". */
void show_columns_names(struct show_columns *c, const struct show_table *t, const char *spec, show_bad_fn *bad);

/* Add the columns of sstat and the accounting commands: "name[%[-]width],...", where the beginning of a name is enough.
 * EINVAL: a name is not in the table.  `bars`: no widths, '|' (or `delimiter`) after each value; `ends`: after the last
 * one too; `exact`: SHOW_EXACT; `zero`: a column of width 0 has no value, elsewhere it has its usual width. */
struct show_wide {
    bool bars, ends, exact, zero;
    const char *delimiter;
};
int show_columns_wide(struct show_columns *c, const struct show_table *t, const char *spec, struct show_wide how,
                      struct err *err);

/* Append the line of headers (and its rule), or the line of a row. */
void show_columns_head(const struct show_columns *c, struct buf *out);
void show_columns_row(const struct show_columns *c, const void *row, struct buf *out);
/* Does a column show this field? */
bool show_columns_has(const struct show_columns *c, const struct show_field *f);

/* --helpformat: "%a    %F    ..." in lines of eight; --helpFormat: names in lines of four; that of sstat and sacct. */
void show_help_letters(const struct show_table *t, struct buf *out);
void show_help_names(const struct show_table *t, struct buf *out);
void show_help_wide(const struct show_table *t, struct buf *out);

/* ---- scontrol's KEY=VALUE (pairs.c) ---- */

struct show_pair {
    const struct show_field *field; /* NULL: a blank */
    size_t key_len;
    bool line;     /* begins a line */
    bool optional; /* left out when unset */
};

struct show_pairs {
    VEC(struct show_pair) pair;
    bool one_line;
    const struct show_table *table;
};

/* The pairs of a table by its layout; `detail`: those for --details too. */
void show_pairs_init(struct show_pairs *p, const struct show_table *t, bool one_line, bool detail);
void show_pairs_clear(struct show_pairs *p);
/* Append a record, its closing newlines included. */
void show_pairs_row(const struct show_pairs *p, const void *row, struct buf *out);

/* ---- JSON and YAML (json.c, plan.c, document.c) ---- */

#define SHOW_PARSER 45 /* the newest data_parser version of Slurm 26.05, and the default */
#define SHOW_PARSER_OLDEST 42

enum show_format { SHOW_TABLES, SHOW_JSON, SHOW_YAML };

#define SHOW_DEPTH 32
struct show_json {
    struct buf *out;
    enum show_format format;
    bool compact;
    unsigned parser;       /* data_parser version */
    unsigned depth;
    struct {
        bool array, empty;
    } level[SHOW_DEPTH];
    bool keyed;            /* a key was written, its value comes next */
    struct buf scratch;
};

void show_json_init(struct show_json *j, struct buf *out, enum show_format format, unsigned parser);
void show_json_clear(struct show_json *j);
/* The writer: values follow keys inside an object and each other inside an array. */
void show_json_object(struct show_json *j);
void show_json_array(struct show_json *j);
void show_json_close(struct show_json *j); /* the object or array that was opened last */
void show_json_key(struct show_json *j, const char *key, size_t len);
void show_json_text(struct show_json *j, const char *text, size_t len);
void show_json_int(struct show_json *j, int64_t n);
void show_json_real(struct show_json *j, double d);
void show_json_bool(struct show_json *j, bool b);
void show_json_null(struct show_json *j);
/* A key and its value at once. */
void show_json_key_text(struct show_json *j, const char *key, const char *text);
void show_json_key_int(struct show_json *j, const char *key, int64_t n);
/* {"set": ..., "infinite": ..., "number": ...} */
void show_json_number(struct show_json *j, enum show_state state, int64_t n);

/* The fields of a table in the order in which their paths nest, worked out once. */
struct show_plan_step {
    const struct show_field *field;
    unsigned close;      /* so many objects end before it */
    const char *path;    /* what is left of its path: objects to open, and its own key */
    struct show_plan *sub;
};

struct show_plan {
    VEC(struct show_plan_step) step;
    unsigned close;      /* objects that are open after the last step */
};

void show_plan_init(struct show_plan *p, const struct show_table *t, unsigned parser);
void show_plan_clear(struct show_plan *p);
/* Write a row as an object. */
void show_plan_row(const struct show_plan *p, const void *row, struct show_json *j);

/* The argument of --json and --yaml: NULL or "" is the newest data_parser, "list" all of them.  0: an unknown name. */
#define SHOW_PARSER_LIST UINT32_MAX
unsigned show_parser_find(const char *text);
/* "data_parser/v0.0.45", a line each. */
void show_parser_list(struct buf *out);

/* What a document says about itself. */
struct show_meta {
    char *const *argv;          /* the command line; ends with NULL */
    const char *user, *group;   /* of the caller */
    const char *cluster;
    const char *accounting_storage; /* "accounting_storage/none" */
    const char *warning;        /* NULL: none */
};

/* A document: the object opens, the caller writes keys and values, the end adds meta, errors and warnings. */
void show_document_begin(struct show_json *j);
void show_document_end(struct show_json *j, const struct show_meta *m);

#endif
