/* replay - the log of a simulation as a file, and the state it leads to. */
#include <fcntl.h>
#include <string.h>

#include "sim/world.h"

static const char site_text[] = "ClusterName=sim\n"
                                "SlurmctldHost=localhost\n"
                                "SelectType=select/cons_tres\n"
                                "SelectTypeParameters=CR_Core_Memory\n"
                                "GresTypes=gpu\n"
                                "ReturnToService=1\n"
                                "SlurmdTimeout=60\n"
                                "MinJobAge=120\n"
                                "KillWait=5\n"
                                "TreeWidth=2\n";

static const char other_text[] = "ClusterName=elsewhere\n"
                                 "SlurmctldHost=localhost\n"
                                 "SelectType=select/linear\n"
                                 "MinJobAge=10\n"
                                 "FirstJobId=5000\n"
                                 "MaxJobCount=20\n"
                                 "SlurmdTimeout=7\n"
                                 "NodeName=x[1-3],n1 CPUs=2 RealMemory=100\n"
                                 "PartitionName=other Nodes=ALL MaxTime=1 Default=YES\n";

/* Most nodes are plain, some have threads, some devices. */
static void add_nodes(struct buf *b, uint32_t nodes, const char *qos)
{
    uint32_t gpu = MAX(nodes / 10, 1u), smt = nodes > 2 ? MAX(nodes / 5, 1u) : 0, plain = nodes - gpu - smt;
    if (plain)
        buf_addf(b, "NodeName=n[1-%u] Sockets=2 CoresPerSocket=4 RealMemory=16000\n", plain);
    if (smt)
        buf_addf(b, "NodeName=n[%u-%u] Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=32000 Weight=5\n",
                 plain + 1, plain + smt);
    buf_addf(b, "NodeName=n[%u-%u] Sockets=2 CoresPerSocket=8 RealMemory=64000 Gres=gpu:a:4 Weight=20\n",
             plain + smt + 1, nodes);
    buf_addf(b, "PartitionName=main Nodes=ALL Default=YES DefaultTime=10\n");
    buf_addf(b, "PartitionName=short Nodes=n[1-%u] MaxTime=5 PriorityTier=5%s\n", MAX(nodes / 2, 1u), qos);
    buf_addf(b, "PartitionName=gpu Nodes=n[%u-%u] MaxTime=30\n", plain + smt + 1, nodes);
}

/* Partitions on the same nodes that oversubscribe CPUs: jobs run in time slices, and a higher tier preempts a lower
 * one. */
static void add_turns(struct buf *b)
{
    buf_adds(b, "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nSchedulerTimeSlice=10\n"
                "PartitionName=DEFAULT OverSubscribe=FORCE:2\n");
}

/* Limits are enforced, there are licences; one QOS preempts another, or jobs yield (SpurPolicy=short). */
static void add_rules(struct buf *b, bool shortly)
{
    buf_addf(b, "AccountingStorageEnforce=limits,qos\nLicenses=matlab:%u,ansys:%u\n", SIM_MATLAB, SIM_ANSYS);
    buf_adds(b,
             shortly
                 ? "SpurPolicy=short\nSpurYieldAfter=30\n"
                 : "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nPriorityType=priority/multifactor\n"
                   "PriorityWeightFairshare=1000\nPriorityWeightQOS=100\nPriorityWeightAge=10\nPriorityCalcPeriod=1\n");
}

struct site *sim_site(uint32_t nodes, enum sim_place place)
{
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    struct site *site;
    buf_adds(&b, place == SIM_ELSEWHERE ? other_text : site_text);
    if (place == SIM_CONFIRM)
        buf_adds(&b, "SpurFencing=confirm\n");
    if (place == SIM_LEASE)
        buf_adds(&b, "SpurFencing=lease\nSpurLeaseTime=60\n");
    if (place == SIM_TURNS)
        add_turns(&b);
    bool rules = place == SIM_RULES || place == SIM_SHORT;
    if (rules)
        add_rules(&b, place == SIM_SHORT);
    if (place != SIM_ELSEWHERE)
        add_nodes(&b, nodes, rules ? " QOS=part" : "");
    if (site_load_text(&site, b.s, b.len, "sim.conf", &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return site;
}

int sim_replay(const struct sim_log *log, size_t from, struct site *site, struct buf *out, struct err *err)
{
    struct cred_key key = { { 0 } };
    struct ctl_conf conf = { .site = site, .key = &key, .admin_uid = 0, .id = 9 };
    struct ctl *t = ctl_new(&conf);
    size_t at = 0;
    int rc = 0;
    if (from < log->snaps.n) {
        rc = ctl_decode(t, log->snaps.at[from].bytes.s, log->snaps.at[from].bytes.len, err);
        at = log->snaps.at[from].entries;
    }
    for (; !rc && at < log->entries.n; at++)
        rc = ctl_replay(t, log->entries.at[at].s, log->entries.at[at].len, err);
    if (!rc)
        ctl_encode(t, out);
    ctl_free(t);
    return rc;
}

/* ---- files: u32 kind (0 entry, else entries before the snapshot), u32 length, bytes ---- */

static void log_put(struct buf *b, uint32_t kind, const struct buf *bytes)
{
    uint32_t head[2] = { kind, (uint32_t)bytes->len };
    buf_add(b, head, sizeof(head));
    buf_add(b, bytes->s, bytes->len);
}

int sim_log_save(const struct sim_log *log, const char *path, struct err *err)
{
    auto_buf struct buf b = BUF_INIT;
    for (size_t i = 0; i < log->entries.n; i++)
        log_put(&b, 0, &log->entries.at[i]);
    for (size_t i = 0; i < log->snaps.n; i++)
        log_put(&b, (uint32_t)log->snaps.at[i].entries, &log->snaps.at[i].bytes);
    auto_file FILE *f = fopen(path, "w");
    if (!f || fwrite(b.s, 1, b.len, f) != b.len || fflush(f))
        return err_set(err, errno, "cannot write %s: %m", path);
    return 0;
}

int sim_log_load(struct sim_log *log, const char *path, struct err *err)
{
    auto_buf struct buf b = BUF_INIT;
    int rc = buf_read_file(&b, path, 1u << 30);
    if (rc)
        return err_set(err, rc, "cannot read %s: %s", path, strerror(rc));
    uint32_t head[2];
    for (size_t at = 0; at < b.len; at += sizeof(head) + head[1]) {
        if (b.len - at < sizeof(head))
            return err_set(err, EBADMSG, "%s ends too early", path);
        memcpy(head, b.s + at, sizeof(head));
        if (b.len - at - sizeof(head) < head[1])
            return err_set(err, EBADMSG, "%s ends too early", path);
        struct buf bytes = BUF_INIT;
        buf_add(&bytes, b.s + at + sizeof(head), head[1]);
        if (head[0])
            vec_push(&log->snaps, (struct sim_snap){ head[0], bytes });
        else
            vec_push(&log->entries, bytes);
    }
    return 0;
}

void sim_log_clear(struct sim_log *log)
{
    for (size_t i = 0; i < log->entries.n; i++)
        buf_clear(&log->entries.at[i]);
    for (size_t i = 0; i < log->snaps.n; i++)
        buf_clear(&log->snaps.at[i].bytes);
    vec_clear(&log->entries);
    vec_clear(&log->snaps);
}
