/*
 * sstat - one line of its output: a step, and what its tasks use now.
 */
#ifndef SPUR_CLI_SSTAT_H
#define SPUR_CLI_SSTAT_H

#include "cli/columns.h"
#include "record.pb-c.h"
#include "wire/usage.h"

struct sstat_row {
    uint32_t job, step;
    const Pb__Step *record;   /* NULL: the batch script, or an extern step */
    const char *const *names; /* of the nodes that the numbers in `usage` mean */
    size_t nnames;
    const char *nodes;
    const Pb__StepUsage *usage;
    const char *pids;
    bool exact; /* --noconvert */
};

extern const struct column_row sstat_fields[];
#define SSTAT_USUAL                                                                                                    \
    "jobid,alloctres,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,"    \
    "maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,avecpufreq,reqcpufreqmin,"          \
    "reqcpufreqmax,reqcpufreqgov,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,"              \
    "maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxnode,"    \
    "tresusageinmaxtask,tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutave,"          \
    "tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutmin,tresusageoutminnode,"                     \
    "tresusageoutmintask,tresusageouttot"
#define SSTAT_PIDS "jobid,nodelist,pids"

#endif
