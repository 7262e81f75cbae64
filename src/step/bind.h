/*
 * bind - tasks tied to their CPUs: the step's share of the node, what was asked and what the site says, made into a
 * mask for each task and set in it before it runs.
 *
 * It takes place where TaskPlugin has task/affinity; elsewhere only the environment tells what was asked.
 */
#ifndef SPUR_STEP_BIND_H
#define SPUR_STEP_BIND_H

#include "step/masks.h"
#include "step/step.h"

/* What the site says about it, as the agent hands it over: "affinity verbose unit=cores auto=threads node=cores
 * part.NAME=sockets cpus block".  A word that is not there is not said. */
struct bind_site {
    bool affinity; /* TaskPlugin=task/affinity */
    bool verbose;
    bool cpus;       /* CR_CPU: CPUs are allocated, not cores */
    bool dist_block; /* CR_CORE_DEFAULT_DIST_BLOCK */
    char unit[16];   /* CpuBind of the node, of the partition, or TaskPluginParam; "": automatic */
    enum bind_unit otherwise;
};

/* Is `word` among what the site says (SPAWNER_BIND)?  "devices": jobs see their own alone; "notraining". */
bool bind_site_says(const char *word);
void bind_site_parse(const char *words, const char *partition, struct bind_site *out);

struct binding {
    struct bind_site site;
    struct topo topo;
    struct bind_cpu cpu;
    struct bind_mem mem;
    struct masks masks;
};

/* Before the tasks start, with the step's environment in place: decides, and adds what the environment tells of it.
 * CPUs that the user names and the step does not have are an error. */
int bind_prepare(struct step *s, struct err *err);
/* In the task, before exec: its CPUs and its memory; with --cpu-bind=verbose it says which. */
void bind_task(struct step *s, uint32_t local);

/* "cpu-bind=MASK - n1, task  0  0 [77]: mask 0x1 set" */
void bind_say(const struct step *s, uint32_t local, const char *what, const char *type, const struct bitmap *mask,
              const char *more);

#endif
