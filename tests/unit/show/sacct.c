/* sacct: the columns of a job of the history and of its steps. */
#include <stdlib.h>

#include "core/job.h"
#include "show/sacct.h"
#include "test.h"

#define MINUTE 60
#define START 3600


static uint32_t qos_id(const char *name)
{
    return name[0] == 'h' ? 7 : 1;
}

static uint32_t assoc_id(const Pb__Job *j)
{
    return j->uid + 40;
}

static struct sacct_env env = { .show = { .now_s = START + 10 * MINUTE, .cluster = "c", .array_len = 64 },
                                .qos_id = qos_id,
                                .assoc_id = assoc_id };

static Pb__JobSpec spec = PB__JOB_SPEC__INIT;
static Pb__StepSpec step_spec = PB__STEP_SPEC__INIT;
static Pb__StepUsage usage = PB__STEP_USAGE__INIT;
static Pb__Metric cpu = PB__METRIC__INIT, rss = PB__METRIC__INIT, in = PB__METRIC__INIT;

static Pb__Job a_job(void)
{
    Pb__Job j = PB__JOB__INIT;
    spec.name = (char *)"train", spec.account = (char *)"physics", spec.qos = (char *)"high";
    spec.submit_line = (char *)"sbatch train.sh", spec.workdir = (char *)"/home/ada";
    j.spec = &spec, j.id = 42, j.uid = 2, j.gid = 3, j.user_name = (char *)"ada", j.partition = (char *)"main";
    j.state = JOB_CANCELLED, j.has_cancel_uid = true, j.cancel_uid = 9;
    j.submit_s = START - 30, j.eligible_s = START - 20, j.start_s = START, j.end_s = START + 100;
    j.suspended_total_s = 40, j.time_limit_min = 90, j.num_nodes = 2, j.nodes = (char *)"n[1-2]";
    j.tres_req = (char *)"cpu=3,mem=3G,node=2,billing=3";
    j.tres_alloc = (char *)"cpu=4,mem=3G,node=2,billing=4,gres/gpu=2";
    return j;
}

static Pb__Step a_step(void)
{
    static uint32_t tasks[] = { 2, 2 };
    Pb__Step s = PB__STEP__INIT;
    step_spec.name = (char *)"epoch", step_spec.submit_line = (char *)"srun epoch";
    cpu.total = 9000, cpu.min = 1500, cpu.min_node = 1, cpu.min_task = 3;
    rss.total = 8192, rss.max = 4192, rss.max_node = 1, rss.max_task = 2;
    in.total = 4 * 1024 * 1024, in.max = 1536 * 1024;
    usage.ntasks = 4, usage.cpu_ms = &cpu, usage.rss_kb = &rss, usage.read_bytes = &in;
    usage.user_us = 8750000, usage.sys_us = 250000;
    s.id = 0, s.spec = &step_spec, s.state = PB__STEP_STATE__STEP_FAILED, s.exit_code = 11;
    s.start_s = START + 10, s.end_s = START + 90, s.nodes = (char *)"n[1-2]", s.tasks = tasks, s.n_tasks = 2;
    s.tres_alloc = (char *)"cpu=4,mem=2G,node=2", s.stats = &usage;
    return s;
}

static const char *line(const char *fields, const struct sacct_row *row)
{
    static struct buf out = BUF_INIT;
    struct show_columns c = { 0 };
    struct err err = ERR_INIT;
    buf_reset(&out);
    if (show_columns_wide(&c, &show_sacct, fields, (struct show_wide){ .bars = true }, &err))
        buf_adds(&out, err.text);
    else
        show_columns_row(&c, row, &out);
    show_columns_clear(&c);
    return out.s;
}

struct field_case {
    const char *fields, *job, *step;
};

static const struct field_case cases[] = {
    { "jobid,jobidraw,jobname,cluster", "42|42|train|c\n", "42.0|42.0|epoch|c\n" },
    { "user,uid,gid,account,qos,qosraw,associd,partition", "ada|2|3|physics|high|7|42|main\n",
      "|||physics|||42|\n" },
    { "state,exitcode,derivedexitcode", "CANCELLED by 9|0:0|0:0\n", "CANCELLED|0:11|\n" },
    { "alloccpus,ncpus,allocnodes,nnodes,ntasks,reqcpus,reqnodes", "4|4|2|2||3|2\n", "4|4|2|2|4|4|2\n" },
    { "alloctres", "billing=4,cpu=4,gres/gpu=2,mem=3G,node=2\n", "cpu=4,mem=2G,node=2\n" },
    { "reqtres,reqmem", "billing=3,cpu=3,mem=3G,node=2|3G\n", "|\n" },
    { "elapsed,elapsedraw,cputime,cputimeraw,suspended", "00:01:00|60|00:04:00|240|00:00:40\n",
      "00:00:40|40|00:02:40|160|00:00:40\n" },
    { "planned,plannedcpu,plannedcpuraw", "00:00:20|00:01:00|60\n", "||\n" },
    { "usercpu,systemcpu,totalcpu", "00:08.750|00:00.250|00:00:09\n", "00:08.750|00:00.250|00:00:09\n" },
    { "timelimit,timelimitraw", "01:30:00|90\n", "|\n" },
    { "avecpu,mincpu,mincpunode,mincputask", "|||\n", "00:00:02|00:00:01|n2|3\n" },
    { "maxrss,averss,maxrssnode,maxrsstask", "|||\n", "4192K|2M|n2|2\n" },
    { "avediskread,maxdiskread", "|\n", "1.00M|1.50M\n" },
    { "nodelist,submitline", "n[1-2]|sbatch train.sh\n", "n[1-2]|srun epoch\n" },
    { "tresusageinmax", "\n", "cpu=00:00:00,energy=0,fs/disk=1536K,mem=4192K,pages=0,vmem=0\n" },
    { "reqcpufreq,consumedenergy", "Unknown|\n", "Unknown|0\n" },
};

static void test_fields(void)
{
    static const char *const names[] = { "n1", "n2" };
    Pb__Job j = a_job();
    Pb__Step s = a_step();
    struct sacct_row job = { .job = { .job = &j, .env = &env.show },
                             .env = &env,
                             .usage = { .names = names, .nnames = 2 },
                             .user_us = usage.user_us,
                             .sys_us = usage.sys_us };
    struct sacct_row step;
    sacct_step_row(&step, &job, &s);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        is_str(line(cases[i].fields, &job), cases[i].job, "job: %s", cases[i].fields);
        is_str(line(cases[i].fields, &step), cases[i].step, "step: %s", cases[i].fields);
    }
}

static void test_units(void)
{
    Pb__Job j = a_job();
    struct sacct_row job = { .job = { .job = &j, .env = &env.show }, .env = &env };
    env.exact = true;
    is_str(line("reqmem,alloctres", &job), "3072M|billing=4,cpu=4,gres/gpu=2,mem=3072M,node=2\n", "--noconvert");
    env.unit = 'T';
    is_str(line("reqmem", &job), "0.00T\n", "--units comes before --noconvert");
    env.exact = false, env.unit = 0;
}

static void test_waiting(void)
{
    Pb__Job j = a_job();
    struct sacct_row job = { .job = { .job = &j, .env = &env.show }, .env = &env };
    j.state = JOB_PENDING, j.start_s = j.end_s = 0, j.nodes = (char *)"", j.tres_alloc = (char *)"";
    j.suspended_total_s = 0, j.hold = PB__JOB_HOLD__HOLD_USER;
    is_str(line("state,start,end,eligible,nodelist,allocnodes,nnodes,alloccpus,elapsed,flags", &job),
           "PENDING|Unknown|Unknown|Unknown|None assigned|0|2|0|00:00:00|StartReceived\n", "a held job");
    j.state = JOB_CANCELLED, j.end_s = START;
    is_str(line("state,start,nodelist,elapsed", &job), "CANCELLED by 9|None|None assigned|00:00:00\n",
           "cancelled before it began");
    j = a_job();
    j.state = JOB_RUNNING, j.end_s = 0;
    is_str(line("state,end,elapsed", &job), "RUNNING|Unknown|00:09:20\n", "a running job");
    j.time_limit_min = UINT32_MAX;
    is_str(line("timelimit,timelimitraw", &job), "UNLIMITED|UNLIMITED\n", "without a limit");
    j.state = JOB_NODE_FAIL, j.end_s = START, j.num_nodes = 1, j.nodes = (char *)"n2";
    is_str(line("state,failednode", &job), "NODE_FAIL|n2\n", "the node that failed");
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    test_fields();
    test_units();
    test_waiting();
    return test_done();
}
