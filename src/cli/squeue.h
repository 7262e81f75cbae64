/*
 * squeue - what squeue was asked for, and the lines it makes of the answer.
 */
#ifndef SPUR_CLI_SQUEUE_H
#define SPUR_CLI_SQUEUE_H

#include "cli/document.h"
#include "client/client.h"
#include "show/step.h"
#include "text/opt.h"
#include "text/strs.h"

struct squeue_step {
    uint32_t job, task, step;
    bool has_task;
};

struct squeue {
    /* as written */
    const char *account, *format, *long_format, *jobs, *licenses, *name, *nodes, *partition, *qos, *reservation, *sort,
        *states;
    const char *steps, *users, *running_over, *running_under, *iterate;
    int all, array, expand, help, help_format, help_names, help_states, hide, local, federation, long_list, me,
        noconvert, no_header, notme;
    int state_only, priority, start, usage, version;
    unsigned verbose;
    bool job_flag, step_flag;

    /* worked out */
    Pb__JobQuery query;               /* its lists are owned; see squeue_clear */
    VEC(uint32_t) whole;              /* jobs asked for as a whole */
    VEC(struct squeue_step) task;     /* and single tasks of arrays; their job is in the query too */
    VEC(uint32_t) state;              /* wanted; none: all that have not ended */
    bool any_state;
    VEC(struct squeue_step) step;
    struct strs words;                /* texts that the query borrows */
    bool no_match;                    /* a filter that no job can match */
    bool single;                      /* one job was asked for by its id */
    int64_t over_s, under_s;
    unsigned every_s;
    struct show_env env;
    struct show_columns columns;
    struct document doc;
};

/* Read environment and arguments.  -1: go on; otherwise the exit status. */
int squeue_options(struct squeue *q, int argc, char **argv);
void squeue_clear(struct squeue *q);
bool squeue_state_wanted(const struct squeue *q, const Pb__Job *j);
const char *squeue_usage(void);

/* ---- sorting ---- */

struct sort_spec;
struct sort_line {
    size_t at;                        /* in the text */
    uint32_t len;
    uint32_t index;                   /* its keys are key[index * n] */
    int64_t base;                     /* the order among equals */
};

/* The lines of the answer with their sort keys. */
struct sort_lines {
    struct sort_spec *spec;
    struct buf text;
    VEC(struct sort_line) line;
    VEC(int64_t) key;                 /* numbers, or pointers to interned text */
};

/* "P,t,-p" over the columns of jobs or of steps; NULL when a letter cannot be sorted by: `*bad` is it.  Rows are those
 * of the table: struct job_row or struct step_row. */
struct sort_spec *sort_new(const char *text, bool steps, char *bad);
void sort_free(struct sort_spec *s);
/* Add a line: its text was appended to lines->text from `at` on. */
void sort_add(struct sort_lines *lines, size_t at, const void *row, int64_t base);
void sort_lines(struct sort_lines *lines);
void sort_clear(struct sort_lines *lines);

#endif
