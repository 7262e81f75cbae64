/*
 * depend - what a job waits for: "afterok:12:13_4,after:5+10", "afterany:7?afternotok:8", "singleton".
 */
#ifndef SPUR_TEXT_DEPEND_H
#define SPUR_TEXT_DEPEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum depend_type {
    DEPEND_AFTER,            /* has begun (or was cancelled), `minutes` ago */
    DEPEND_AFTERANY,         /* has ended */
    DEPEND_AFTERNOTOK,       /* has failed */
    DEPEND_AFTEROK,          /* has succeeded */
    DEPEND_AFTERCORR,        /* the same task of that array has succeeded */
    DEPEND_AFTERBURSTBUFFER, /* has ended and staged out */
    DEPEND_SINGLETON,        /* no earlier job of that name and user is there */
    DEPEND_EXPAND,           /* runs: what this one gets is for it */
};

enum depend_state { DEPEND_UNFULFILLED, DEPEND_FULFILLED, DEPEND_FAILED };

#define DEPEND_MAX 10000 /* dependencies of one job */

#define DEPEND_NO_TASK   (-1) /* a job, not a task of an array */
#define DEPEND_ALL_TASKS (-2) /* the whole array, written JOB_* */

struct depend {
    enum depend_type type;
    enum depend_state state; /* unfulfilled after parsing */
    uint32_t job;            /* 0 for singleton */
    int64_t task;            /* or one of the two above */
    uint32_t minutes;        /* JOB+MINUTES; 0: none */
};

struct depend_list {
    struct depend *at;
    size_t n, cap;
    bool any; /* '?' between them: one is enough; ',' : all are needed */
};

#define DEPEND_INIT { NULL, 0, 0, false }
#define auto_depend __attribute__((cleanup(depend_clear)))

void depend_clear(struct depend_list *l); /* free; reusable after */

/* Fill `out` (empty before) from `spec`; ESLURM_DEPENDENCY when it is none. */
int depend_parse(const char *spec, struct depend_list *out, struct err *err);

/* As squeue's %E and scontrol's Dependency=: "afterok:12(unfulfilled)", "afterok:12_*(unfulfilled)"; what is fulfilled
 * is left out.  Yours; "" when nothing is left. */
char *depend_text(const struct depend_list *l);

/* As it is written by a user, everything there: depend_parse reads it back. */
char *depend_spec(const struct depend_list *l);

#endif
