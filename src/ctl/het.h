/*
 * het - how the components of a heterogeneous job hang together once they are jobs.
 *
 * They begin together.  When the first ends, or one loses its nodes, all end; when one goes back
 * to the queue, all do.  A component other than the first may end alone while the job runs.
 */
#ifndef SPUR_CTL_HET_H
#define SPUR_CTL_HET_H

#include "core/het.h"
#include "ctl/end.h"

/* Has every component its nodes, and are they ready? */
bool het_ready(const struct ctl *t, const struct job *j);
/* They are: srun's own steps begin, and clients hear of it. */
void het_begun(struct ctl *t, struct job *j);

/* It has ended, or goes back to the queue: what becomes of the other components. */
void het_ended(struct ctl *t, struct job *j, const struct end *e, bool waited);
void het_requeued(struct ctl *t, struct job *j, uint32_t hold, enum why_code reason, const char *text,
                  uint32_t delay_s);

/* A component is remembered for as long as one of them lives. */
bool het_lives(const struct ctl *t, const struct job *j);

/* 0, or the error for a single component of a job that waits. */
int het_check_whole(const struct job *j, struct err *err);

/* What the script of the first component, and srun, are told of all of them; free with het_tell_free(). */
size_t het_tell(const struct ctl *t, const struct job *j, Pb__HetPart ***out);
void het_tell_free(Pb__HetPart **parts, size_t n);

#endif
