/*
 * row - shorthand for the tables: getters in one line, and rows of records that have no columns.
 */
#ifndef SPUR_SHOW_ROW_H
#define SPUR_SHOW_ROW_H

#include "show/show.h"

#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)
#define GET_TEXT(name, text) GET(name) { show_set_text(v, text); }
#define GET_NUMBER(name, n) GET(name) { show_set_number(v, (int64_t)(n)); }
#define GET_COUNT(name, n) GET(name) { show_set_count(v, (int64_t)(n)); } /* 0 is unset */
#define GET_REAL(name, d) GET(name) { show_set_real(v, d); }

/* scontrol's key, JSON path, type, getter; then by name what else the row has. */
#define ROW(key_, json_, type_, get_, ...) \
    { .key = key_, .json = json_, .type = SHOW_##type_, .get = get_, __VA_ARGS__ }

#endif
