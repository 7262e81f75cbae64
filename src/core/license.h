/*
 * license - how many of each licence the cluster has, and how many jobs hold.
 *
 * A job names what it holds; how many of a licence are in use follows from the jobs and is never stored.
 */
#ifndef SPUR_CORE_LICENSE_H
#define SPUR_CORE_LICENSE_H

#include "base/vec.h"
#include "event.pb-c.h"
#include "text/license.h"

struct cluster;
struct job;

struct license {
    char *name;
    uint64_t total, used;
};

struct license_table {
    struct license *at; /* by name */
    size_t n, cap;
};

/* The configuration's licences; what running jobs hold is counted again. */
void license_config(struct cluster *c, Pb__License *const *pb, size_t n);
void license_clear(struct license_table *t);

/* Its place in the table, or -1. */
int license_find(const struct cluster *c, const char *name);

/* Does it hold its licences now?  From its start to its end, even while it is suspended. */
bool license_held(const struct job *j);
/* It is given these; it takes what it was given; it gives it back.  Giving back twice is harmless. */
void license_set(struct job *j, Pb__License *const *pb, size_t n);
void license_take(struct cluster *c, struct job *j);
void license_return(struct cluster *c, struct job *j);
void license_change(struct cluster *c, struct job *j, Pb__License *const *pb, size_t n); /* it has others from now on */
void license_forget(struct job *j);                                                      /* and frees */

/* The job's licences as messages; free the array and with it all (names are borrowed). */
Pb__License **license_to_pb(const struct license_list *l);
/* What a job that starts gets of what it asked for: all, or (`which` from 1 on) one of them. */
Pb__License **license_given(const struct license_list *l, uint32_t which, size_t *n);

/* Are there so many of each as the list asks for (`more`: any at all), all being free?  ESLURM_INVALID_LICENSES and
 * which. */
int license_check(const struct cluster *c, const struct license_list *l, bool more, struct err *err);

#endif
