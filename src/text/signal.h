/*
 * signal - signals by name and number, and sbatch's --signal=[{R|B}:]SIG[@SECONDS].
 */
#ifndef SPUR_TEXT_SIGNAL_H
#define SPUR_TEXT_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define SIGNAL_DEFAULT_LEAD_S 60

struct signal_spec {
    int signo;
    uint32_t lead_s; /* how long before the end of the job */
    bool batch;      /* B: the batch shell only */
    bool resv;       /* R: the time of the reservation counts too */
};

/* SIGUSR1, USR1, usr1, 10. */
int signal_parse(const char *text, int *signo, struct err *err);

int signal_spec_parse(const char *text, struct signal_spec *out, struct err *err);

/* The wait status of a task, step or job that the kernel ended for want of memory: Slurm's own, shown as 0:125. */
#define STATUS_OUT_OF_MEMORY 253u

/* The worse of two wait statuses: want of memory explains all others. */
static inline uint32_t status_worst(uint32_t a, uint32_t b)
{
    return a == STATUS_OUT_OF_MEMORY || b == STATUS_OUT_OF_MEMORY ? STATUS_OUT_OF_MEMORY : a > b ? a : b;
}

#endif
