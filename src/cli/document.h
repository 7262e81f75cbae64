/*
 * document - --json and --yaml of the commands that show records.
 *
 * A command has both options as rows (DOCUMENT_OPTS), asks document_check once they are read, and writes keys and rows
 * between document_begin and document_end, which prints.
 */
#ifndef SPUR_CLI_DOCUMENT_H
#define SPUR_CLI_DOCUMENT_H

#include "client/client.h"
#include "show/show.h"
#include "text/opt.h"

struct document {
    enum show_format format; /* SHOW_TABLES: neither option was given */
    const char *parser_text; /* their argument; NULL: none */
    const char *warning;     /* for the reader of the document; NULL: none */
    struct buf out;
    struct show_json json;
    struct show_plan plan;
};

opt_call_fn document_opt;
/* Two rows of an option table; `document_at` is the offset of the struct. */
/* clang-format off */
#define DOCUMENT_OPTS(document_at)                                                             \
    { 1, 0, "json", OPT_CALL, document_at, "[PARSER]",                                         \
      "JSON, as the data_parser PARSER has it; \"list\" lists them", document_opt },           \
    { 1, 0, "yaml", OPT_CALL, document_at, "[PARSER]", "the same as YAML", document_opt }
/* clang-format on */

/* -1: go on.  Otherwise the exit status: the parsers were listed, or there is none of that name (`wrong`). */
int document_check(struct document *d, int wrong);

void document_begin(struct document *d);
/* A key and the rows of its array. */
void document_rows_begin(struct document *d, const char *key, const struct show_table *t);
void document_row(struct document *d, const void *row);
void document_rows_end(struct document *d);
/* A key and one row as an object. */
void document_record(struct document *d, const char *key, const struct show_table *t, const void *row);
/* A key and a time. */
void document_time(struct document *d, const char *key, int64_t at_s);
/* Between rows_begin and rows_end: print nothing, free everything. */
void document_abandon(struct document *d);
/* What the document says about itself; print all of it. */
void document_end(struct document *d, const struct client *c);

#endif
