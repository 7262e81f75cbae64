/*
 * process - the fields of a process of a step, as scontrol listpids has them.
 */
#ifndef SPUR_SHOW_PROCESS_H
#define SPUR_SHOW_PROCESS_H

#include "message.pb-c.h"
#include "show/show.h"

struct process_row {
    const Pb__StepStat *step;
    const Pb__ProcId *proc;
};

extern const struct show_table show_process;

#endif
