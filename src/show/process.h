/*
 * process - the fields of a process of a step, as scontrol listpids, liststeps and listjobs have them.
 */
#ifndef SPUR_SHOW_PROCESS_H
#define SPUR_SHOW_PROCESS_H

#include "message.pb-c.h"
#include "show/show.h"

struct process_row {
    const Pb__StepStat *step;
    const Pb__ProcId *proc; /* NULL: the step alone */
};

extern const struct show_table show_process;      /* rows are struct process_row, with a process */
extern const struct show_table show_process_step; /* the same rows as steps */
extern const struct show_table show_process_job;  /*   and as jobs */

#endif
