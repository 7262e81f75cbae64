/*
 * sacct_priv - what the tables of sacct share; see sacct.h.
 */
#ifndef SPUR_SHOW_SACCT_PRIV_H
#define SPUR_SHOW_SACCT_PRIV_H

#include "show/sacct.h"
#include "text/tres.h"

#define SACCT(p) ((const struct sacct_row *)(p))
#define STEP(p) (SACCT(p)->step)

/* Of the row's job or step. */
int64_t sacct_start_s(const struct sacct_row *r);
int64_t sacct_end_s(const struct sacct_row *r);
int64_t sacct_elapsed_s(const struct sacct_row *r);
int64_t sacct_planned_s(const struct sacct_row *r);
uint64_t sacct_cpus(const struct sacct_row *r);   /* allocated */
uint64_t sacct_nodes(const struct sacct_row *r);  /* allocated */
void sacct_tres(const struct sacct_row *r, struct tres_list *out);     /* allocated */
void sacct_tres_req(const struct sacct_row *r, struct tres_list *out); /* of a job */
uint64_t sacct_req_cpus(const struct sacct_row *r);
const char *sacct_state(const struct sacct_row *r); /* "COMPLETED" */
bool sacct_started(const Pb__Job *j);
int64_t sacct_eligible_s(const Pb__Job *j); /* 0: the job was held all the time */
uint32_t sacct_exit_code(const Pb__Job *j);
bool sacct_ended(const Pb__Job *j);
const char *sacct_layout(const Pb__Step *s);
bool sacct_is_script(const Pb__Step *s); /* a batch script, or another step that srun did not start */
const char *sacct_failed_node(const Pb__Job *j);

#endif
