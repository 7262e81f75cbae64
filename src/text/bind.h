/*
 * bind - how tasks are tied to CPUs, memory and devices, as users write it: --cpu-bind, --mem-bind, --gpu-bind and
 * --tres-bind, the levels of --distribution, --hint.  Text in, values out; commands and the supervisor both read it.
 */
#ifndef SPUR_TEXT_BIND_H
#define SPUR_TEXT_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum bind_cpu_how {
    BIND_CPU_AUTO, /* nothing said: by what was allocated */
    BIND_CPU_NONE,
    BIND_CPU_MAP,     /* list: a CPU for each task */
    BIND_CPU_MASK,    /* list: a mask of CPUs for each task */
    BIND_CPU_LD_RANK, /* locality domains: NUMA nodes */
    BIND_CPU_LD_MAP,
    BIND_CPU_LD_MASK,
};

enum bind_unit { BIND_UNIT_ANY, BIND_SOCKETS, BIND_CORES, BIND_THREADS, BIND_LDOMS };

#define BIND_LIST_MAX 65536 /* entries of a list, after "0*4" was written out */

struct bind_list {
    char **at; /* words without 0x in masks: "2", "ff" */
    size_t n, cap;
};

struct bind_cpu {
    enum bind_cpu_how how;
    enum bind_unit unit; /* masks are made that tie each task to such units */
    bool verbose, quiet;
    bool rank; /* "rank" was said: obsolete, and not heeded */
    struct bind_list list;
};

enum bind_mem_how { BIND_MEM_UNSET, BIND_MEM_NONE, BIND_MEM_RANK, BIND_MEM_LOCAL, BIND_MEM_MAP, BIND_MEM_MASK };

struct bind_mem {
    enum bind_mem_how how;
    bool verbose, quiet, sort, nosort, prefer;
    struct bind_list list;
};

enum bind_gres_how {
    BIND_GRES_UNSET,
    BIND_GRES_NONE,
    BIND_GRES_CLOSEST,
    BIND_GRES_SINGLE,   /* n tasks share one */
    BIND_GRES_PER_TASK, /* n for each task */
    BIND_GRES_MAP,
    BIND_GRES_MASK,
};

struct bind_gres {
    enum bind_gres_how how;
    bool verbose;
    uint32_t n;
    struct bind_list list;
};

enum bind_level { BIND_DEFAULT, BIND_BLOCK, BIND_CYCLIC, BIND_FCYCLIC, BIND_PLANE, BIND_ARBITRARY };

struct bind_dist {
    enum bind_level node, socket, core; /* plane and arbitrary at the first level only, fcyclic not there */
    uint32_t plane;                     /* its size */
    bool pack, nopack;
};

#define auto_bind_cpu __attribute__((cleanup(bind_cpu_clear)))
#define auto_bind_mem __attribute__((cleanup(bind_mem_clear)))
#define auto_bind_gres __attribute__((cleanup(bind_gres_clear)))

void bind_cpu_clear(struct bind_cpu *b); /* free; reusable after */
void bind_mem_clear(struct bind_mem *b);
void bind_gres_clear(struct bind_gres *b);

/* Into an empty one.  The sentence of a failure is the one that Slurm's commands say. */
int bind_cpu_parse(const char *text, struct bind_cpu *out, struct err *err);
int bind_mem_parse(const char *text, struct bind_mem *out, struct err *err);
/* The part after "gres/gpu:" : "[verbose,]single:2". */
int bind_gres_parse(const char *text, struct bind_gres *out, struct err *err);
/* "gres/gpu:single:2+gres/nic:closest": is each piece one, and what is said of `name`?  `out` may be NULL. */
int bind_tres_parse(const char *text, const char *name, struct bind_gres *out, struct err *err);
int bind_dist_parse(const char *text, struct bind_dist *out, struct err *err);

/* The three parts that the environment tells, and all of them in one: "verbose,mask_cpu:2,3".  Yours. */
char *bind_cpu_type(const struct bind_cpu *b); /* "cores", "mask_cpu:", "" */
char *bind_mem_type(const struct bind_mem *b);
char *bind_list_text(const struct bind_list *l);
char *bind_cpu_text(const struct bind_cpu *b); /* as --cpu-bind takes it; "" when nothing was said */
char *bind_mem_text(const struct bind_mem *b);
/* "plane", "block:cyclic,pack": what SLURM_DISTRIBUTION says, with the defaults by name.  Yours. */
char *bind_dist_text(const struct bind_dist *d);

enum bind_hint { BIND_HINT_NONE, BIND_COMPUTE_BOUND, BIND_MEMORY_BOUND, BIND_MULTITHREAD, BIND_NOMULTITHREAD };
int bind_hint_parse(const char *text, enum bind_hint *out, struct err *err);

/* What --cpu-bind=help and its like print. */
extern const char bind_cpu_help[], bind_mem_help[], bind_hint_help[];

#endif
