/*
 * bind - tasks bound to CPUs: the step's share of the node, the request and the site's settings become a mask for each
 * task, which is set in the task before it runs.
 *
 * Tasks are bound where TaskPlugin has task/affinity; elsewhere only the environment shows what was requested.
 */
#ifndef SPUR_STEP_BIND_H
#define SPUR_STEP_BIND_H

#include "step/masks.h"
#include "step/step.h"

/* The site's settings, as the agent passes them: "affinity verbose unit=cores auto=threads node=cores part.NAME=sockets
 * cpus block".  A missing word means that the setting is not made. */
struct bind_site {
    bool affinity; /* TaskPlugin=task/affinity */
    bool verbose;
    bool cpus;       /* CR_CPU: CPUs are allocated, not cores */
    bool dist_block; /* CR_CORE_DEFAULT_DIST_BLOCK */
    char unit[16];   /* CpuBind of the node, of the partition, or TaskPluginParam; "": automatic */
    enum bind_unit otherwise;
};

/* Is `word` among the site's settings (SPAWNER_BIND)?  "devices": a job sees only its own devices; "notraining". */
bool bind_site_says(const char *word);
void bind_site_parse(const char *words, const char *partition, struct bind_site *out);

struct binding {
    struct bind_site site;
    struct topo topo;
    struct bind_cpu cpu;
    struct bind_mem mem;
    struct masks masks;
};

/* Compute the masks and add their variables to the environment; call before the tasks start, with the step's
 * environment in place.  An error when the user names CPUs that the step does not have. */
int bind_prepare(struct step *s, struct err *err);
/* In the task, before exec: bind its CPUs and memory; with --cpu-bind=verbose print them. */
void bind_task(struct step *s, uint32_t local);

/* "cpu-bind=MASK - n1, task  0  0 [77]: mask 0x1 set" */
void bind_say(const struct step *s, uint32_t local, const char *what, const char *type, const struct bitmap *mask,
              const char *more);

#endif
