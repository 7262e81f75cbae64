/*
 * job_filter - which jobs a query or a cancellation means, by everything but time.
 *
 * A list of ten thousand names against fifty thousand jobs is half a billion comparisons: lists become sets first, so
 * that each job costs the same however long the lists are.
 */
#ifndef SPUR_CTL_JOB_FILTER_H
#define SPUR_CTL_JOB_FILTER_H

#include "base/map.h"
#include "ctl/ctl_priv.h"

struct name_set { /* short lists are compared, long ones looked up */
    char *const *list;
    size_t n;
    struct smap at;
};

void name_set_init(struct name_set *s, char *const *list, size_t n); /* the list is borrowed */
void name_set_clear(struct name_set *s);
bool name_set_has(const struct name_set *s, const char *name); /* is it one of the list, or is the list empty? */
/* 1 + the position of its first mention; 0: it is not one of the list. */
size_t name_set_find(const struct name_set *s, const char *name);

struct job_filter;

struct job_filter *job_filter_new(const Pb__JobQuery *q); /* the query is borrowed */
void job_filter_free(struct job_filter *f);               /* NULL is welcome */

bool job_filter_match(const struct ctl *t, const struct job_filter *f, const struct job *j);
bool job_filter_part(const struct job_filter *f, const char *part); /* is the partition one of the query's? */

#endif
