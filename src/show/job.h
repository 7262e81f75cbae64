/*
 * job - the fields of a job, and the values and texts that several of them share.
 */
#ifndef SPUR_SHOW_JOB_H
#define SPUR_SHOW_JOB_H

#include "record.pb-c.h"
#include "show/show.h"

/* What holds for all rows of an answer. */
struct show_env {
    int64_t now_s;
    const char *cluster;
    size_t array_len;       /* where the text of an array's tasks is cut; 0: never */
    bool array_len_set;     /*   by SLURM_BITSTR_LEN */
    bool expand;            /* patterns in file names */
    const char *(*user)(uint32_t uid);  /* names of users and groups; NULL: numbers are shown */
    const char *(*group)(uint32_t gid);
};

/* One line: a job, one task of an array whose tasks share a record, or a job in one of its partitions. */
struct job_row {
    const Pb__Job *job;
    const struct show_env *env;
    const char *partition; /* NULL: as the job says */
    uint32_t task;         /* with one_task */
    bool one_task;
};

extern const struct show_table show_job; /* rows are struct job_row */

/* Appended to `out` each. */
void job_put_id(struct buf *out, const struct job_row *r);    /* "12", "12_3", "12_[1-5%2]" */
void job_put_tasks(struct buf *out, const struct job_row *r); /* "", "3", "1-5%2" */
void job_put_het_set(struct buf *out, const Pb__Job *j);      /* "12-14" */
void job_put_sluid(struct buf *out, const Pb__Job *j);
void job_put_reason(struct buf *out, const struct job_row *r);
void job_put_stamp(struct buf *out, int64_t at, const char *none);
/* "gres/gpu:2"; nothing when none was asked for. */
void job_put_tres_per_node(struct buf *out, const Pb__JobSpec *s);
void job_put_tres_per_task(struct buf *out, const Pb__JobSpec *s);
void job_put_gpus(struct buf *out, const char *gpus);
/* A file of standard i/o: `which` 0 input, 1 output, 2 errors; expanded: absolute, with its patterns filled in. */
void job_put_file(struct buf *out, const struct job_row *r, int which, bool expanded);

/* Times and durations; 0: unknown. */
int64_t job_elapsed_s(const struct job_row *r);
int64_t job_start_s(const Pb__Job *j); /* actual or planned */
int64_t job_end_s(const Pb__Job *j);   /* actual or planned; INT64_MAX: never */
int64_t job_eligible_s(const Pb__Job *j);
int64_t job_accrue_s(const struct job_row *r);
int64_t job_last_look_s(const Pb__Job *j); /* the scheduler's last look at the job */

uint32_t job_min_cpus(const Pb__JobSpec *s);
uint32_t job_nodes(const Pb__Job *j); /* allocated, planned, or the fewest that were asked for */
uint32_t job_max_nodes(const Pb__JobSpec *s);
uint32_t job_throttle(const Pb__Job *j); /* how many tasks of an array may run at once; 0: no limit */
const char *job_features(const Pb__Job *j); /* the constraint, or what was preferred where the job got it */
const char *job_exclusive(const Pb__Job *j);
const char *job_shared(const Pb__Job *j); /* "YES", "NO", or "OK" where the partition would allow it */
bool job_is_pending(const Pb__Job *j);

#endif
