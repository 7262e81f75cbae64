/*
 * fields_job - the columns of squeue over a job record, and what scontrol says about one in the same words.
 */
#ifndef SPUR_CLI_FIELDS_JOB_H
#define SPUR_CLI_FIELDS_JOB_H

#include "cli/format.h"
#include "record.pb-c.h"

/* What holds for all rows. */
struct job_show {
    int64_t now_s;
    const char *cluster;
    size_t array_len;      /* where the tasks of an array are cut; 0: never */
    bool array_len_set;    /*   said by SLURM_BITSTR_LEN */
    bool expand;           /* patterns in file names */
};

/* One line: a job, one of its tasks, or its place in one of its partitions. */
struct job_row {
    const Pb__Job *job;
    const struct job_show *show;
    const char *partition; /* NULL: as the job says */
    uint32_t task;         /* with one_task: of an array whose tasks share the record */
    bool one_task;
};

extern const struct field fields_job[];

/* Appended to `out` each. */
void job_put_het_set(struct buf *out, const Pb__Job *j); /* "12-14" */
void job_put_id(struct buf *out, const struct job_row *r);                /* "12", "12_3", "12_[1-5%2]" */
void job_put_sluid(struct buf *out, const Pb__Job *j);
void job_put_tasks(struct buf *out, const struct job_row *r);             /* "N/A", "3", "1-5%2" */
void job_put_reason(struct buf *out, const struct job_row *r, bool underscores);
void job_put_stamp(struct buf *out, int64_t at, const char *none);
void job_put_code(struct buf *out, uint32_t wait_status);                 /* "3:0" */
void job_put_mb(struct buf *out, uint64_t mb);
const char *job_features(const Pb__Job *j); /* its constraint; what it preferred, when it got it */
void job_put_licenses(struct buf *out, const Pb__Job *j); /* those it was given: "a:1;b:2", or "(null)" */
void job_put_tres_per_node(struct buf *out,
                           const Pb__JobSpec *s); /* "gres/gpu:2"; nothing when there is none; so the next */
void job_put_tres_per_task(struct buf *out, const Pb__JobSpec *s);
void job_put_gpus(struct buf *out, const char *gpus);
void job_put_command(struct buf *out, const Pb__JobSpec *s);
/* A file of standard i/o: `which` 0 input, 1 output, 2 errors; expanded: an absolute path with its patterns filled in.
 */
void job_put_file(struct buf *out, const struct job_row *r, int which, bool expanded);

/* Moments and spans; 0: unknown. */
int64_t job_elapsed_s(const struct job_row *r);
int64_t job_start_s(const Pb__Job *j);        /* has begun, or will */
int64_t job_end_s(const Pb__Job *j);          /* has ended, or will; INT64_MAX: never */
int64_t job_eligible_s(const Pb__Job *j);
int64_t job_last_look_s(const Pb__Job *j);    /* when the scheduler considered it last */
uint32_t job_min_cpus(const Pb__JobSpec *s);
uint32_t job_nodes(const Pb__Job *j);         /* has, will have, or asks for at least */
uint32_t job_max_nodes(const Pb__JobSpec *s);
const char *job_exclusive(const Pb__Job *j);
const char *job_shared(const Pb__Job *j); /* "YES", "NO", or "OK" where it could have asked for it */
bool job_is_pending(const Pb__Job *j);

#endif
