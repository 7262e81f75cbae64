/* job: the tables of jobs and steps are whole, and what they print of a few jobs is as saved. */
#include "core/job.h"
#include "show/process.h"
#include "show/step.h"
#include "show/step_usage.h"
#include "tables.h"

static const char *user_name(uint32_t uid)
{
    return uid == 1000 ? "ada" : "nobody";
}

static const struct show_env env = { .now_s = 2000, .cluster = "box", .array_len = 64,
                                     .user = user_name, .group = user_name };
static Pb__JobSpec spec;
static Pb__NodeAlloc node_alloc;
static Pb__NodeAlloc *allocs[] = { &node_alloc };
static Pb__Gres gpu;
static Pb__Gres *gpus[] = { &gpu };

static Pb__Job waiting_array(void)
{
    Pb__Job j = PB__JOB__INIT;
    pb__job_spec__init(&spec);
    spec.name = (char *)"many";
    spec.workdir = (char *)"/home/ada";
    spec.array = (char *)"1-4%2";
    spec.ntasks = 1;
    j.spec = &spec;
    j.id = j.array_job = 12;
    j.array_text = (char *)"3-4%2";
    j.array_max_running = 2;
    j.uid = j.gid = 1000;
    j.partition = (char *)"main,fine";
    j.priority = 7;
    j.submit_s = j.eligible_s = 1000;
    j.time_limit_min = 60;
    j.num_nodes = j.num_cpus = j.num_tasks = 1;
    j.reason = WHY_RESOURCES;
    j.tres_req = (char *)"cpu=1,mem=100M,node=1,billing=1";
    j.mem_per_cpu_mb = 100;
    return j;
}

static Pb__Job running_job(void)
{
    Pb__Job j = PB__JOB__INIT;
    static uint8_t cores[] = { 0x11 }, devices[] = { 0x3 };
    pb__job_spec__init(&spec);
    pb__node_alloc__init(&node_alloc);
    pb__gres__init(&gpu);
    gpu.name = (char *)"gpu";
    gpu.count = 2;
    gpu.index = (ProtobufCBinaryData){ sizeof(devices), devices };
    node_alloc.name = (char *)"n1";
    node_alloc.cpus = 2;
    node_alloc.mem_mb = 300;
    node_alloc.cores = (ProtobufCBinaryData){ sizeof(cores), cores };
    node_alloc.threads = 1;
    node_alloc.sockets = 2;
    node_alloc.cores_per_socket = 4;
    node_alloc.gres = gpus;
    node_alloc.n_gres = 1;
    spec.name = (char *)"train";
    spec.account = (char *)"physics";
    spec.workdir = (char *)"/home/ada";
    spec.std_out = (char *)"out.%j";
    spec.ntasks = 2;
    spec.gres = (char *)"gpu:2";
    spec.mail_type = (char *)"begin,end";
    spec.mail_user = (char *)"ada";
    j.spec = &spec;
    j.id = 13;
    j.uid = j.gid = 1000;
    j.user_name = (char *)"ada";
    j.state = JOB_RUNNING;
    j.partition = (char *)"main";
    j.submit_s = j.eligible_s = 1000;
    j.start_s = 1100;
    j.time_limit_min = INFINITE_MIN;
    j.num_nodes = 1;
    j.num_cpus = j.num_tasks = 2;
    j.nodes = (char *)"n1";
    j.batch_host = (char *)"n1";
    j.alloc = allocs;
    j.n_alloc = 1;
    j.mem_per_node_mb = 300;
    j.tres_req = j.tres_alloc = (char *)"cpu=2,mem=300M,node=1,billing=2,gres/gpu=2";
    return j;
}

static void check_pairs(const Pb__Job *j, bool detail, const char *want, const char *name)
{
    struct show_pairs p;
    struct buf out = BUF_INIT;
    show_pairs_init(&p, &show_job, false, detail);
    show_pairs_row(&p, &(struct job_row){ .job = j, .env = &env }, &out);
    is_str(out.s, want, "%s", name);
    show_pairs_clear(&p);
    buf_clear(&out);
}

static void test_pairs(void)
{
    Pb__Job array = waiting_array();
    check_pairs(&array, false,
                "JobId=12 ArrayJobId=12 ArrayTaskId=3-4%2 ArrayTaskThrottle=2 JobName=many\n"
                "   UserId=ada(1000) GroupId=ada(1000) MCS_label=N/A\n"
                "   Priority=7 Nice=0 Account=(null) QOS=(null)\n"
                "   JobState=PENDING Reason=Resources Dependency=(null)\n"
                "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
                "   RunTime=00:00:00 TimeLimit=01:00:00 TimeMin=N/A\n"
                "   SubmitTime=1970-01-01T00:16:40 EligibleTime=1970-01-01T00:16:40\n"
                "   AccrueTime=1970-01-01T00:16:40\n"
                "   StartTime=Unknown EndTime=Unknown Deadline=N/A\n"
                "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=1970-01-01T00:16:40 Scheduler=Main\n"
                "   Partition=main,fine AllocNode:Sid=(null):0\n"
                "   ReqNodeList=(null) ExcNodeList=(null)\n"
                "   NodeList=\n"
                "   NumNodes=1-1 NumCPUs=1 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"
                "   ReqTRES=cpu=1,mem=100M,node=1,billing=1\n"
                "   AllocTRES=(null)\n"
                "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"
                "   MinCPUsNode=1 MinMemoryCPU=100M MinTmpDiskNode=0\n"
                "   Features=(null) DelayBoot=00:00:00\n"
                "   OverSubscribe=NO Exclusive=NO Contiguous=0 Licenses=(null) LicensesAlloc=(null) Network=(null)\n"
                "   Command=(null)\n   SubmitLine=(null)\n   WorkDir=/home/ada\n   StdErr=\n   StdIn=/dev/null\n"
                "   StdOut=/home/ada/slurm-12_4294967294.out\n\n",
                "a waiting array");
    Pb__Job run = running_job();
    struct buf out = BUF_INIT;
    struct show_pairs p;
    show_pairs_init(&p, &show_job, false, true);
    show_pairs_row(&p, &(struct job_row){ .job = &run, .env = &env }, &out);
    ok(strstr(out.s, "\n   JOB_GRES=gpu:2\n     Nodes=n1 CPU_IDs=0,4 Mem=300 GRES=gpu:2(IDX:0-1)\n"
                     "   MinCPUsNode=1 MinMemoryNode=300M"),
       "--details has the allocation");
    ok(strstr(out.s, "EndTime=Unknown") && strstr(out.s, "TimeLimit=UNLIMITED"), "no limit, no end");
    ok(strstr(out.s, "\n   TresPerNode=gres/gpu:2\n   MailUser=ada MailType=begin,end\n\n"), "the last lines");
    show_pairs_clear(&p);
    buf_clear(&out);
}

static void check_columns(const Pb__Job *j, const char *core_spec_text, const char *want)
{
    struct show_columns c = { 0 };
    struct buf out = BUF_INIT;
    show_columns_names(&c, &show_job, core_spec_text, NULL);
    show_columns_row(&c, &(struct job_row){ .job = j, .env = &env }, &out);
    is_str(out.s, want, "-O %s", core_spec_text);
    show_columns_clear(&c);
    buf_clear(&out);
}

static void test_columns(void)
{
    Pb__Job array = waiting_array();
    check_columns(&array, "jobarrayid: ,arraytaskid: ,arrayjobid: ,username: ,statecompact: ,reasonlist:",
                  "12_[3-4%2] 3-4%2 12 ada PD (Resources)\n");
    check_columns(&array, "starttime: ,endtime: ,timelimit: ,timeleft: ,timeused: ,minmemory:",
                  "N/A N/A 1:00:00 1:00:00 0:00 100M\n");
    check_columns(&array, "hetjobid: ,corespec: ,cores: ,ntpercore: ,tres-per-node: ,gres:", "N/A N/A * N/A N/A N/A\n");
    Pb__Job run = running_job();
    check_columns(&run, "jobid: ,nodelist: ,timeused: ,timeleft: ,endtime: ,reasonlist: ,batchhost:",
                  "13 n1 15:00 UNLIMITED NONE n1 n1\n");
    check_columns(&run, "stdout: ,resizetime: ,priority: ,tres: ,tres-per-node:",
                  "/home/ada/out.%j N/A 0.00000000000000 cpu=2,mem=300M,node=1,billing=2,gres/gpu=2 gres/gpu:2\n");
    run.resize_s = 1200;
    check_columns(&run, "resizetime:", "1970-01-01T00:20:00\n");
    run.het_job = 13, run.het_size = 2;
    check_columns(&run, "hetjobid: ,hetjoboffset: ,hetjobidset: ,jobarrayid:", "13 0 13-14 13+0\n");
}

/* A value of the JSON of a job, by what stands before and after it. */
static void check_json(const Pb__Job *j, const char *want)
{
    struct buf out = BUF_INIT;
    struct show_json json;
    struct show_plan p;
    show_json_init(&json, &out, SHOW_JSON, SHOW_PARSER);
    json.compact = true;
    show_plan_init(&p, &show_job, SHOW_PARSER);
    show_plan_row(&p, &(struct job_row){ .job = j, .env = &env }, &json);
    if (!ok(strstr(out.s, want) != NULL, "%s", want))
        printf("# %s\n", out.s);
    show_plan_clear(&p);
    show_json_clear(&json);
    buf_clear(&out);
}

static void test_json(void)
{
    Pb__Job array = waiting_array();
    check_json(&array, "\"array_job_id\":{\"set\":true,\"infinite\":false,\"number\":12}");
    check_json(&array, "\"array_task_id\":{\"set\":false,\"infinite\":false,\"number\":0}");
    check_json(&array, "\"array_task_string\":\"3-4%2\"");
    check_json(&array, "\"array_max_tasks\":{\"set\":true,\"infinite\":false,\"number\":2}");
    check_json(&array, "\"job_state\":[\"PENDING\"]");
    check_json(&array, "\"job_resources\":null");
    check_json(&array, "\"priority_by_partition\":["
                       "{\"partition\":\"main\",\"priority\":7},{\"partition\":\"fine\",\"priority\":7}]");
    check_json(&array, "\"start_time\":{\"set\":true,\"infinite\":false,\"number\":0}");
    check_json(&array, "\"state_reason\":\"Resources\"");
    Pb__Job run = running_job();
    check_json(&run, "\"time_limit\":{\"set\":false,\"infinite\":true,\"number\":0}");
    check_json(&run, "\"mail_type\":[\"BEGIN\",\"END\"]");
    check_json(&run, "\"gres_detail\":[\"gpu:2(IDX:0-1)\"]");
    check_json(&run, "\"billable_tres\":{\"set\":true,\"infinite\":false,\"number\":2.0}");
    check_json(&run, "\"sockets\":[{\"index\":0,\"cores\":["
                     "{\"index\":0,\"status\":[\"ALLOCATED\"]},{\"index\":1,\"status\":[\"UNALLOCATED\"]}");
    check_json(&run, "{\"index\":1,\"cores\":[{\"index\":0,\"status\":[\"ALLOCATED\"]}");
    check_json(&run, "\"stdout_expanded\":\"/home/ada/out.13\"");
    check_json(&run, "\"step_id\":{\"sluid\":");
}

static void test_step(void)
{
    Pb__Job j = running_job();
    Pb__Step step = PB__STEP__INIT;
    Pb__StepSpec step_spec = PB__STEP_SPEC__INIT;
    char *argv[] = { (char *)"sleep", (char *)"900" };
    step_spec.argv = argv;
    step_spec.n_argv = 2;
    step_spec.ntasks = 2;
    step_spec.gres = (char *)"gpu:1";
    step_spec.host = (char *)"login";
    step_spec.pid = 77;
    step.spec = &step_spec;
    step.start_s = 1200;
    step.node = (uint32_t[]){ 0 };
    step.tasks = (uint32_t[]){ 2 };
    step.n_node = step.n_tasks = 1;
    step.alloc = allocs;
    step.n_alloc = 1;
    struct step_row row = { .job = { .job = &j, .env = &env }, .step = &step };
    struct buf out = BUF_INIT;
    struct show_pairs p;
    show_pairs_init(&p, &show_step, false, false);
    show_pairs_row(&p, &row, &out);
    is_str(out.s,
           "StepId=13.0 UserId=1000 StartTime=1970-01-01T00:20:00 TimeLimit=UNLIMITED\n"
           "   State=RUNNING Partition=main NodeList=n1\n"
           "   Nodes=1 CPUs=2 Tasks=2 Name=sleep Network=(null)\n"
           "   TRES=cpu=2,mem=300M,node=1\n"
           "   ResvPorts=(null)\n"
           "   CPUFreqReq=Default Dist=Block\n"
           "   SrunHost:Pid=login:77\n"
           "   TresPerStep=cpu:2\n"
           "   TresPerNode=gres/gpu:1\n\n",
           "a step in scontrol");
    show_pairs_clear(&p);
    buf_reset(&out);
    struct show_columns c = { 0 };
    show_columns_letters(&c, &show_step, "%i|%j|%P|%u|%M|%l|%N|%A|%b", NULL);
    show_columns_row(&c, &row, &out);
    is_str(out.s, "13.0|sleep|main|ada|13:20|UNLIMITED|n1|2|gres/gpu:1\n", "a step in squeue");
    show_columns_clear(&c);
    buf_reset(&out);
    struct show_json json;
    struct show_plan plan;
    show_json_init(&json, &out, SHOW_YAML, SHOW_PARSER);
    show_plan_init(&plan, &show_step, SHOW_PARSER);
    show_plan_row(&plan, &row, &json);
    ok(strstr(out.s,
              "\ntres:\n  per:\n    cpu: \"\"\n    memory: \"\"\n    node: \"gres/gpu:1\"\n    step: \"cpu:2\"\n"),
       "paths that share an object stand together");
    ok(strstr(out.s, "\nsrun:\n  host: \"login\"\n  pid: 77\n") &&
           strstr(out.s, "\narray:\n  job_id: 0\n  task_id: 4294967294\n"),
       "a step in YAML");
    show_plan_clear(&plan);
    show_json_clear(&json);
    buf_clear(&out);
}

static void test_empty(void)
{
    Pb__Job j = PB__JOB__INIT;
    Pb__Step step = PB__STEP__INIT;
    pb__job_spec__init(&spec);
    j.spec = &spec;
    struct job_row row = { .job = &j, .env = &(struct show_env){ 0 } };
    tables_render(&show_job, &row, "an empty job");
    tables_render(&show_step, &(struct step_row){ .job = row, .step = &step }, "a step without a spec");
    Pb__StepSpec step_spec = PB__STEP_SPEC__INIT;
    step.spec = &step_spec;
    tables_render(&show_step, &(struct step_row){ .job = row, .step = &step }, "an empty step");
    tables_render(&show_step_usage, &(struct step_usage_row){ .nodes = "", .pids = "" }, "no usage");
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    tables_check(&show_job, TABLES_PARTS({ "", &pb__job__descriptor }, { "spec.", &pb__job_spec__descriptor }));
    tables_check(&show_step, TABLES_PARTS({ "", &pb__step__descriptor }, { "spec.", &pb__step_spec__descriptor }));
    tables_check(&show_process, TABLES_PARTS({ "", &pb__proc_id__descriptor }));
    tables_form(&show_step_usage);
    test_pairs();
    test_columns();
    test_json();
    test_step();
    test_empty();
    return test_done();
}
