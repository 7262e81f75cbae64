/* process - the field table of a process; see process.h. */
#include "show/process.h"

#include "show/row.h"
#include "show/step.h"

#define STEP(p) (((const struct process_row *)(p))->step)
#define PROC(p) (((const struct process_row *)(p))->proc)

GET_NUMBER(get_pid, PROC(row)->pid)
GET_NUMBER(get_job, STEP(row)->job_id)
GET(get_step) { step_put_number(show_make(v), STEP(row)->step_id); }

/* A process that is no task, but started by one, has no number. */
GET(get_local)
{
    if (PROC(row)->is_task)
        show_set_number(v, PROC(row)->local);
}

GET(get_global)
{
    if (PROC(row)->is_task)
        show_set_number(v, PROC(row)->task);
}

/* clang-format off */
static const struct show_field process_fields[] = {
    { "PID",      0, NULL, NULL, "pid",            SHOW_NUMBER,     get_pid,    .of = "pid", .width = -8 },
    { "JOBID",    0, NULL, NULL, "job_id",         SHOW_NUMBER,     get_job,    .width = -8 },
    { "STEPID",   0, NULL, NULL, "step_id",        SHOW_TEXT,       get_step,   .width = -8 },
    { "LOCALID", 0, NULL, NULL, "local_task_id", SHOW_NUMBER_SET, get_local, .of = "local is_task", .none = "-",
      .width = -7 },
    { "GLOBALID", 0, NULL, NULL, "global_task_id", SHOW_NUMBER_SET, get_global, .of = "task", .none = "-",
      .width = -8 },
    { 0 },
};
static const struct show_field step_fields[] = {
    { "JOBID",    0, NULL, NULL, "job_id",         SHOW_NUMBER,     get_job,    .width = -8 },
    { "STEPID",   0, NULL, NULL, "step_id",        SHOW_TEXT,       get_step,   .width = -8 },
    { 0 },
};
static const struct show_field job_fields[] = {
    { "JOBID",    0, NULL, NULL, "job_id",         SHOW_NUMBER,     get_job,    .width = -8 },
    { 0 },
};
/* clang-format on */
const struct show_table show_process = { "process", process_fields, "", NULL };
const struct show_table show_process_step = { "process step", step_fields, "", NULL };
const struct show_table show_process_job = { "process job", job_fields, "", NULL };
