/* records: the tables of nodes, partitions, reservations, licences, shares, priorities, statistics and the
 * configuration are whole, and what they print of a few records is as saved. */
#include <math.h>

#include "core/limits.h"
#include "core/node.h"
#include "core/resv.h"
#include "show/config.h"
#include "show/diag.h"
#include "show/license.h"
#include "show/node_group.h"
#include "show/ping.h"
#include "show/prio.h"
#include "show/process.h"
#include "show/resv.h"
#include "show/share.h"
#include "show/topology.h"
#include "tables.h"

static const char *user_name(uint32_t uid)
{
    return uid == 1000 ? "ada" : "root";
}

static void test_tables(void)
{
    tables_check(&show_diag,
                 TABLES_PARTS({ "", &pb__diag_reply__descriptor }, { "main.", &pb__diag_cycles__descriptor },
                              { "fill.", &pb__diag_cycles__descriptor }));
    tables_check(&show_license, TABLES_PARTS({ "", &pb__license__descriptor }));
    tables_check(&show_node, TABLES_PARTS({ "", &pb__node__descriptor }, { "def.", &pb__node_def__descriptor },
                                          { "hw.", &pb__node_hw__descriptor }));
    tables_check(&show_part, TABLES_PARTS({ "", &pb__part__descriptor }));
    tables_check(&show_prio, TABLES_PARTS({ "", &pb__prio_job__descriptor }));
    tables_check(&show_resv, TABLES_PARTS({ "", &pb__resv__descriptor }));
    tables_check(&show_switch, TABLES_PARTS({ "", &pb__topo_unit__descriptor }));
    tables_check(&show_block, TABLES_PARTS({ "", &pb__topo_unit__descriptor }));
    tables_check(&show_share, TABLES_PARTS({ "", &pb__assoc__descriptor }, { "", &pb__share_row__descriptor }));
    const struct show_table *others[] = { &show_config, &show_config_meta, &show_node_group, &show_ping,
                                          &show_process_step, &show_process_job };
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        tables_form(others[i]);
}

/* ---- rendering ---- */

static struct buf out = BUF_INIT;

static const char *pairs(const struct show_table *t, const void *row, bool one_line, bool detail)
{
    struct show_pairs p;
    buf_reset(&out);
    show_pairs_init(&p, t, one_line, detail);
    show_pairs_row(&p, row, &out);
    show_pairs_clear(&p);
    return out.s;
}

static const char *json(const struct show_table *t, const void *row, unsigned parser)
{
    struct show_json j;
    struct show_plan p;
    buf_reset(&out);
    setenv("SLURM_JSON", "compact", 1);
    show_json_init(&j, &out, SHOW_JSON, parser);
    show_plan_init(&p, t, parser);
    show_plan_row(&p, row, &j);
    show_plan_clear(&p);
    show_json_clear(&j);
    return out.s;
}

static const char *columns(const struct show_table *t, const void *row, const char *spec)
{
    struct show_columns c = { 0 };
    buf_reset(&out);
    show_columns_letters(&c, t, spec, NULL);
    show_columns_row(&c, row, &out);
    show_columns_clear(&c);
    return out.s;
}

/* ---- nodes and partitions ---- */

static Pb__NodeHw hw = PB__NODE_HW__INIT;
static Pb__NodeDef def = PB__NODE_DEF__INIT;

static Pb__Node a_node(void)
{
    Pb__Node n = PB__NODE__INIT;
    hw.cpus = 8, hw.sockets = 2, hw.cores = 4, hw.threads = 1, hw.mem_mb = 4000;
    hw.arch = (char *)"x86_64";
    def.name = (char *)"n1", def.addr = (char *)"10.0.0.1", def.port = 6818;
    def.features = (char *)"fast,big";
    n.def = &def, n.hw = &hw;
    n.state = NODE_IDLE | NODE_DRAIN | NODE_REGISTERED;
    n.reason = (char *)"fan", n.reason_uid = 1000, n.reason_s = 60;
    n.weight = 1, n.parts = (char *)"main,fine";
    n.alloc_cpus = 2, n.alloc_mem_mb = 200;
    n.has_load = true, n.load_centi = 125, n.free_mem_mb = 900;
    return n;
}

static void test_node(void)
{
    Pb__Node n = a_node();
    struct node_row row = { &n, user_name, NULL };
    is_str(pairs(&show_node, &row, false, false),
           "NodeName=n1 Arch=x86_64 CoresPerSocket=4 \n"
           "   CPUAlloc=2 CPUEfctv=8 CPUTot=8 CPULoad=1.25\n"
           "   AvailableFeatures=fast,big\n"
           "   ActiveFeatures=fast,big\n"
           "   Gres=(null)\n"
           "   NodeAddr=10.0.0.1 NodeHostName=n1 Port=6818\n"
           "   RealMemory=4000 AllocMem=200 FreeMem=900 Sockets=2 Boards=1\n"
           "   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n"
           "   Partitions=main,fine \n"
           "   BootTime=None SlurmdStartTime=None\n"
           "   LastBusyTime=Unknown ResumeAfterTime=None SuspendTime=INFINITE\n"
           "   CfgTRES=cpu=8,mem=4000M,billing=8\n"
           "   AllocTRES=cpu=2,mem=200M\n"
           "   CurrentWatts=0 AveWatts=0\n"
           "   Reason=fan [ada@1970-01-01T00:01:00]\n\n",
           "a drained node");
    const char *text = json(&show_node, &row, SHOW_PARSER);
    ok(strstr(text, "\"state\":[\"IDLE\",\"DRAIN\"]") && strstr(text, "\"features\":[\"fast\",\"big\"]") &&
           strstr(text, "\"reason\":\"fan\"") && strstr(text, "\"reason_set_by_user\":\"ada\""),
       "and its JSON");
    ok(strstr(text, "\"suspend_time\"") && !strstr(text, "\"power\""), "in the newest version");
    text = json(&show_node, &row, 42);
    ok(!strstr(text, "\"suspend_time\"") && strstr(text, "\"power\":{}"), "and in the oldest");
    n.has_load = false;
    ok(strstr(pairs(&show_node, &row, true, true), "CPULoad=N/A") && strstr(out.s, "FreeMem=N/A") &&
           strstr(out.s, "GresUsed= ") && !strchr(out.s, '\n')[1],
       "on one line, with details, without a load");
}

static void test_devices(void)
{
    Pb__Node n = a_node();
    Pb__Gres gpu = PB__GRES__INIT, *gpus[] = { &gpu };
    struct node_row row = { &n, NULL, "gres/gpu" };
    gpu.name = (char *)"gpu", gpu.count = 2;
    n.alloc_gres = gpus, n.n_alloc_gres = 1;
    ok(strstr(pairs(&show_node, &row, false, false), "AllocTRES=cpu=2,mem=200M,gres/gpu=2\n"),
       "devices that are counted");
    ok(strstr(out.s, "Reason=fan [1000@"), "a user without a name");
    row.tres = NULL;
    ok(strstr(pairs(&show_node, &row, false, false), "AllocTRES=cpu=2,mem=200M\n"), "and that are not");
}

static Pb__Part a_part(void)
{
    Pb__Part p = PB__PART__INIT;
    p.name = (char *)"main", p.is_default = true, p.max_time_min = 90, p.max_nodes = UINT32_MAX;
    p.priority_tier = p.priority_job_factor = 1;
    p.oversubscribe = (char *)"FORCE:2";
    p.deny_qos = (char *)"low";
    p.max_mem_per_cpu_mb = 500;
    return p;
}

static void test_part(void)
{
    Pb__Node n = a_node(), *nodes[] = { &n };
    Pb__Part p = a_part();
    struct part_row row;
    part_row_init(&row, &p, nodes, 1, true);
    row.preempt_mode = "REQUEUE";
    is_str(pairs(&show_part, &row, false, false),
           "PartitionName=main\n"
           "   AllowGroups=ALL AllowAccounts=ALL DenyQos=low\n"
           "   AllocNodes=ALL Default=YES QoS=N/A\n"
           "   DefaultTime=NONE DisableRootJobs=NO Exclusive=NO GraceTime=0 Hidden=NO\n"
           "   MaxNodes=UNLIMITED MaxTime=01:30:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED"
           " MaxCPUsPerSocket=UNLIMITED\n"
           "   NodeSets=ALL\n"
           "   Nodes=n1\n"
           "   PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=FORCE:2\n"
           "   OverTimeLimit=NONE PreemptMode=REQUEUE\n"
           "   State=UP TotalCPUs=8 TotalNodes=1 SelectTypeParameters=NONE\n"
           "   JobDefaults=(null)\n"
           "   DefMemPerNode=UNLIMITED MaxMemPerCPU=500\n"
           "   TRES=cpu=8,mem=4000M,node=1,billing=8\n\n",
           "a partition");
    const char *text = json(&show_part, &row, SHOW_PARSER);
    ok(strstr(text, "\"preempt_mode\":[\"CLUSTER_GLOBAL\"]") && strstr(text, "\"flags\":[\"DEFAULT\"]") &&
           strstr(text, "\"oversubscribe\":\"FORCE:2\""),
       "and its JSON");
    ok(strstr(json(&show_part, &row, 44), "\"oversubscribe\":{\"jobs\":2,\"flags\":[\"force\"]}"),
       "and that of a version before");
    part_row_clear(&row);
}

static void test_group(void)
{
    Pb__Node n = a_node(), m = a_node();
    Pb__NodeHw small = hw;
    Pb__NodeDef other = def;
    Pb__Part p = a_part();
    struct part_row part = { .part = &p, .nodes = (char *)"" };
    struct node_group g = { .part = &part, .user = user_name };
    small.cpus = 4, other.name = (char *)"n2";
    m.hw = &small, m.def = &other;
    node_group_add(&g, &n);
    node_group_add(&g, &m);
    is_str(columns(&show_node_group, &g, "%P|%a|%l|%D|%t|%N|%c|%C|%F|%E|%u|%O|%e|%h"),
           "main*|up|1:30:00|2|drain|n[1-2]|4+|4/0/8/12|0/0/2/2|fan|ada|1.25|900|FORCE:2\n", "nodes that share a line");
    ok(strstr(json(&show_node_group, &g, SHOW_PARSER), "\"nodes\":[\"n1\",\"n2\"]") &&
           strstr(out.s, "\"cpus\":{\"allocated\":4,\"idle\":0,\"other\":8,\"total\":12,\"minimum\":4,\"maximum\":8,"),
       "and their JSON");
    node_group_clear(&g);
    struct node_group none = { .part = &part };
    is_str(columns(&show_node_group, &none, "%P|%D|%t|%N|%E|%u|%O|%o|%i"), "main*|0|n/a||none|Unknown|N/A||\n",
           "a partition without nodes");
}

/* ---- the others ---- */

static void test_resv(void)
{
    Pb__Resv r = PB__RESV__INIT;
    r.name = (char *)"a", r.start_s = 60, r.end_s = 3660, r.nodes = (char *)"n[1-2]", r.node_cnt = 2, r.shown_cores = 3;
    r.flags = RESV_DAILY | RESV_PURGE_COMP, r.purge_s = 600, r.users = (char *)"ada";
    r.core_text = (char *)"n1 0-1;n2 4";
    is_str(pairs(&show_resv, &r, false, false),
           "ReservationName=a StartTime=1970-01-01T00:01:00 EndTime=1970-01-01T01:01:00 Duration=01:00:00\n"
           "   Nodes=n[1-2] NodeCnt=2 CoreCnt=3 Features=(null) PartitionName=(null) Flags=DAILY,PURGE_COMP=00:10:00\n"
           "     NodeName=n1 CoreIDs=0-1\n"
           "     NodeName=n2 CoreIDs=4\n"
           "   TRES=(null)\n"
           "   AllowedPartitions=(null) QOS=(null)\n"
           "   Users=ada Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null)\n"
           "   MaxStartDelay=(null)\n\n",
           "a reservation of cores");
    ok(strstr(json(&show_resv, &r, SHOW_PARSER),
              "\"core_specializations\":[{\"node\":\"n1\",\"core\":\"0-1\"},{\"node\":\"n2\",\"core\":\"4\"}]") &&
           strstr(out.s, "\"flags\":[\"DAILY\",\"PURGE_COMP\"]") &&
           strstr(out.s, "\"purge_completed\":{\"time\":{\"set\":true,\"infinite\":false,\"number\":600}}"),
       "and its JSON");
}

static void test_topology(void)
{
    Pb__TopoUnit u = PB__TOPO_UNIT__INIT;
    struct topology_row row = { &u, 3 };
    u.name = (char *)"s0", u.level = 1, u.nodes = (char *)"n[1-4]", u.children = (char *)"s[1-2]", u.size = 4;
    is_str(pairs(&show_switch, &row, true, false), "SwitchName=s0 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[1-2]\n",
           "a switch");
    is_str(pairs(&show_block, &row, true, false), "BlockName=s0 BlockIndex=3 Nodes=n[1-4] BlockSize=4\n", "a block");
    u.aggregated = true;
    is_str(pairs(&show_block, &row, true, false), "AggregatedBlock=s0 BlockIndex=3 Nodes=n[1-4] BlockSize=4\n",
           "several blocks");
}

static void test_license(void)
{
    Pb__License l = PB__LICENSE__INIT;
    l.name = (char *)"matlab", l.count = 4, l.used = 1, l.reserved = 2;
    is_str(pairs(&show_license, &l, false, false),
           "LicenseName=matlab\n    Total=4 Used=1 Free=1 Reserved=2 Remote=no\n", "a licence");
    is_str(pairs(&show_license, &l, true, false), "LicenseName=matlab Total=4 Used=1 Free=1 Reserved=2 Remote=no\n",
           "and on one line");
}

#define NUMBER(set, infinite, n) "{\"set\":" set ",\"infinite\":" infinite ",\"number\":" n "}"

static void test_share(void)
{
    Pb__Assoc a = PB__ASSOC__INIT;
    Pb__ShareRow s = PB__SHARE_ROW__INIT;
    Pb__Limit mins = PB__LIMIT__INIT, *limits[] = { &mins };
    char *names[] = { (char *)"cpu", (char *)"mem" };
    struct strs tres = { .at = names, .n = 2 };
    mins.what = PB__LIMIT_WHAT__LIMIT_MINS, mins.scope = PB__LIMIT_SCOPE__LIMIT_GROUP, mins.tres = (char *)"cpu",
    mins.max = 100;
    a.id = 3, a.parent = 1, a.account = (char *)"physics", a.shares = 2, a.limits = limits, a.n_limits = 1;
    s.norm_shares = 0.5, s.raw = 30, s.level = INFINITY, s.run_mins = (char *)"cpu=2";
    struct share_row row = { &a, &s, .all_raw = 60, .cluster = "box", .parent = "root", .tres = &tres, .depth = 1 };
    struct show_columns c = { 0 };
    buf_reset(&out);
    show_columns_wide(&c, &show_share, "account,user,rawshares,norms,rawusage,normusage,fairs,level,grptresmins",
                      (struct show_wide){ .bars = true }, NULL);
    show_columns_row(&c, &row, &out);
    show_columns_clear(&c);
    is_str(out.s, " physics||2|0.500000|30|0.500000||inf|cpu=100\n", "an account");
    ok(share_level_infinite(&row), "with a level that JSON cannot write");
    static const char *const wants[] = {
        "\"level\":" NUMBER("true", "false", "1.8446744073709552e+19"),
        "\"run_seconds\":[{\"name\":\"cpu\",\"value\":" NUMBER("true", "false", "120") "},",
        "\"group_minutes\":[{\"name\":\"cpu\",\"value\":" NUMBER("true", "false", "100") "},",
        "{\"name\":\"mem\",\"value\":" NUMBER("false", "true", "0") "}]",
        "\"type\":[\"ASSOCIATION\"]",
    };
    json(&show_share, &row, SHOW_PARSER);
    for (size_t i = 0; i < ARRAY_LEN(wants); i++)
        ok(strstr(out.s, wants[i]), "its JSON has %s", wants[i]);
}

static void test_diag(void)
{
    Pb__DiagReply r = PB__DIAG_REPLY__INIT;
    Pb__DiagCycles main_cycles = PB__DIAG_CYCLES__INIT, fill = PB__DIAG_CYCLES__INIT;
    Pb__DiagCount count = PB__DIAG_COUNT__INIT, *counts[] = { &count };
    struct diag_row row = { &r, user_name };
    r.main = &main_cycles, r.fill = &fill, r.submitted = 7, r.now_s = 600;
    main_cycles.n = 4, main_cycles.us = 100;
    count.id = 1000, count.count = 2, count.us = 30;
    r.users = counts, r.n_users = 1;
    buf_reset(&out);
    diag_report(&row, &out);
    ok(strstr(out.s, "\nJobs submitted: 7\n") && strstr(out.s, "\tMean cycle:   25\n") &&
           strstr(out.s, "\tCycles per minute: 0\n"),
       "counters of the controller");
    ok(strstr(out.s, "\tLast cycle when: N/A\n") && !strstr(out.s, "Depth Mean"), "no means of cycles that never were");
    ok(strstr(out.s, "\tada             (    1000) count:2      ave_time:15     total_time:30\n"), "by user");
    ok(strstr(json(&show_diag, &row, SHOW_PARSER), "\"jobs_submitted\":7") &&
           strstr(out.s, "\"schedule_cycle_mean\":25") &&
           strstr(out.s, "\"rpcs_by_user\":[{\"user_id\":1000,\"user\":\"ada\",\"count\":2,\"total_time\":30,"
                         "\"average_time\":" NUMBER("true", "false", "15") "}]"),
       "and as JSON");
}

static void test_config(void)
{
    static const char text[] = "Configuration data as of 1970-01-01T00:00:00\n"
                               "KillWait                = 30 sec\n"
                               "ReturnToService         = 2\n"
                               "PrivateData             = none\n"
                               "PreemptExemptTime       = 00:01:00\n"
                               "Prolog[0]               = /a\nProlog[1]               = /b\n"
                               "SlurmUser               = ada(1000)\n"
                               "SlurmctldHost[0]        = c1(10.0.0.1)\nSlurmctldHost[1]        = c2\n"
                               "SrunPortRange           = 60000-60010\n"
                               "SuspendTime             = INFINITE\n"
                               "ResvOverRun             = UNLIMITED\n"
                               "UsePam                  = 1\n"
                               "MailProg                = (null)\n"
                               "not a pair\n = \nNEXT_JOB_ID             = 12";
    static const char *const wants[] = {
        "\"KillWait\":30,", "\"ReturnToService\":\"all\"", "\"PrivateData\":[]", "\"Prolog\":[\"/a\",\"/b\"]",
        "\"SlurmUserId\":1000,\"SlurmUser\":\"ada\"", "\"ResvOverRun\":65535", "\"ConfFlags\":[\"UsePam\"]",
        "\"MailProg\":\"\"",
        "\"controllers\":[{\"address\":\"10.0.0.1\",\"machine\":\"c1\"},{\"address\":\"c2\",\"machine\":\"c2\"}]",
        "\"SrunPortRange\":{\"minimum\":60000,\"maximum\":60010,\"set\":true}",
        "\"SuspendTime\":{\"set\":false,\"infinite\":true,\"number\":0}",
        "\"PreemptExemptTime\":{\"set\":true,\"infinite\":false,\"number\":60}",
    };
    struct config_row row;
    config_row_init(&row, text, 5, 6);
    json(&show_config, &row, SHOW_PARSER);
    for (size_t i = 0; i < ARRAY_LEN(wants); i++)
        ok(strstr(out.s, wants[i]), "the configuration has %s", wants[i]);
    ok(strstr(json(&show_config_meta, &row, SHOW_PARSER), "\"BOOT_TIME\":5") &&
           strstr(out.s, "\"NEXT_JOB_ID\":{\"set\":true,\"infinite\":false,\"number\":12}"),
       "and what is known about it");
    config_row_clear(&row);
}

static void test_empty(void)
{
    Pb__Node n = PB__NODE__INIT;
    Pb__NodeHw no_hw = PB__NODE_HW__INIT;
    Pb__NodeDef no_def = PB__NODE_DEF__INIT;
    Pb__Part p = PB__PART__INIT;
    Pb__Resv r = PB__RESV__INIT;
    Pb__PrioReply prio = PB__PRIO_REPLY__INIT;
    Pb__PrioJob job = PB__PRIO_JOB__INIT;
    n.def = &no_def, n.hw = &no_hw;
    tables_render(&show_node, &(struct node_row){ &n, NULL, NULL }, "an empty node");
    tables_render(&show_part, &(struct part_row){ .part = &p }, "an empty partition");
    tables_render(&show_resv, &r, "an empty reservation");
    tables_render(&show_prio, &(struct prio_row){ &prio, NULL, NULL }, "no weights");
    tables_render(&show_prio, &(struct prio_row){ &prio, &job, NULL }, "an empty job");
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    test_tables();
    test_node();
    test_devices();
    test_part();
    test_group();
    test_resv();
    test_topology();
    test_license();
    test_share();
    test_diag();
    test_config();
    test_empty();
    buf_clear(&out);
    return test_done();
}
