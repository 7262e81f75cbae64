/* Real-world configurations, and what the cluster looks like after reading them. */
#include "text/site.h"

#include "base/str.h"
#include "test.h"

static struct site *load(const char *text)
{
    struct site *s = NULL;
    struct err err = ERR_INIT;
    if (site_load_text(&s, text, strlen(text), "slurm.conf", &err))
        printf("# %s\n", err.text);
    return s;
}

#define HEAD "ClusterName=Lab\nSlurmctldHost=head(10.0.0.1)\n"

/* ---- several agents on one host ---- */

static void test_one_host(void)
{
    struct site *s = load(HEAD "SlurmdParameters=config_overrides\n"
                               "SlurmdSpoolDir=/var/spool/slurmd.%n\n"
                               "GresTypes=gpu\n"
                               "NodeName=n[1-6] NodeHostname=vm NodeAddr=127.0.0.1 Port=[17001-17006] \\\n"
                               "    Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=4000 Gres=gpu:a100:4\n"
                               "PartitionName=main Nodes=ALL Default=YES MaxTime=1-0\n"
                               "PartitionName=small Nodes=n[2-3],n6 MaxNodes=2 DefaultTime=10 State=DOWN\n");
    if (!ok(s != NULL, "six agents on one host"))
        return;
    is_str(s->cluster, "lab", "the cluster's name is lower case");
    ok(s->config_overrides, "the file is believed");
    is_int(s->nnodes, 6, "six nodes");
    const struct site_node *n = site_node(s, "n6");
    ok(n == &s->node[5] && !site_node(s, "n7"), "found by name");
    is_str(n->hostname, "vm", "one host name for all");
    is_str(n->addr, "127.0.0.1", "one address for all");
    is_int(n->port, 17006, "each its port");
    is_int(n->cpus, 16, "CPUs are sockets by cores by threads");
    is_int(n->boards * 1000 + n->sockets * 100 + n->cores * 10 + n->threads, 1242,
           "1 board, 2 sockets, 4 cores, 2 threads");
    is_int(n->mem_mb, 4000, "memory");
    is_str(n->gres, "gpu:a100:4", "Gres as written");
    is_str(n->state, "UNKNOWN", "state");
    is_int(n->weight, 1, "weight");
    is_int(s->nparts, 2, "two partitions");
    const struct site_part *main_part = site_part(s, "main"), *small = site_part(s, "small");
    is_int(main_part->nnodes, 6, "ALL");
    ok(main_part->is_default && !small->is_default, "the default");
    is_int(main_part->max_time_min, 1440, "a day");
    ok(main_part->default_time_min == SITE_NONE && main_part->max_nodes == SITE_INFINITE,
       "what is not said has no limit");
    ok(small->nnodes == 3 && small->node[0] == 1 && small->node[1] == 2 && small->node[2] == 5, "n2 n3 n6");
    is_int(small->default_time_min, 10, "default time");
    is_str(small->state, "DOWN", "partition state");
    is_str(small->oversubscribe, "NO", "no oversubscription");
    is_int(small->priority_tier, 1, "tier");
    auto_free char *dir = site_node_path(s, s->node_spool_dir, n);
    is_str(dir, "/var/spool/slurmd.n6", "%%n in a path");
    auto_free char *odd = site_node_path(s, "%h-%n-%%-%x%", n);
    is_str(odd, "vm-n6-%-%x%", "all patterns");
    site_free(s);
}

/* ---- a GPU cluster with DEFAULT lines, sets and down nodes ---- */

static const char gpu_site[] =
    "# GPU cluster\n" HEAD "SlurmctldHost=backup\nSlurmctldPort=7000-7003\nSlurmdPort=7100\n"
    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=2000\n"
    "NodeName=DEFAULT Sockets=2 CoresPerSocket=32 ThreadsPerCore=2 RealMemory=1000000 State=UNKNOWN Feature=amd,ib\n"
    "NodeName=g[01-04] Gres=gpu:mi300x:8 Weight=10\n"
    "NodeName=DEFAULT RealMemory=500000 Gres=gpu:l40s:4 Feature=nvidia\n"
    "NodeName=h[01-02]\n"
    "NodeName=c[1-3] CPUs=64 Sockets=1 ThreadsPerCore=1 Gres=\"\" Feature=cpu\n"
    "NodeName=login Boards=2 SocketsPerBoard=2 CoresPerSocket=8 ThreadsPerCore=1 State=FUTURE\n"
    "DownNodes=g04,h[01-02] State=DRAIN Reason=\"bad cable\"\n"
    "NodeSet=amd Feature=amd\nNodeSet=mixed Nodes=c1 Feature=nvidia\n"
    "PartitionName=DEFAULT MaxTime=2-00:00:00 State=UP OverSubscribe=NO AllowGroups=ALL\n"
    "PartitionName=gpu Nodes=amd,h01 Default=YES PriorityTier=10 TRESBillingWeights=\"CPU=1.0,GRES/gpu=10\"\n"
    "PartitionName=all Nodes=ALL MaxTime=UNLIMITED AllowAccounts=a,b DenyAccounts=c Priority=7\n"
    "PartitionName=mix Nodes=mixed,login OverSubscribe=force AllowGroups=staff DefMemPerNode=10 DefMemPerCPU=5\n"
    "PartitionName=own Nodes=feature{cpu} Exclusive=user OverSubscribe=YES:2\n"
    "PartitionName=whole Nodes=\"\" Shared=EXCLUSIVE\n"
    "PartitionName=p[1-2] Nodes=c1 Default=YES\n";

static void test_gpu_nodes(const struct site *s)
{
    is_int(s->nnodes, 10, "ten nodes");
    const struct site_node *g = site_node(s, "g04"), *h = site_node(s, "h02"), *c = site_node(s, "c2"),
                           *l = site_node(s, "login");
    is_int(g->cpus, 128, "from DEFAULT");
    is_str(g->features, "amd,ib", "Feature from DEFAULT");
    is_int(g->weight, 10, "own weight");
    is_int(g->port, 7100, "SlurmdPort");
    is_str(g->state, "DRAIN", "DownNodes changes the state");
    is_str(g->reason, "bad cable", "and tells the reason");
    is_int(h->mem_mb, 500000, "the second DEFAULT adds to the first");
    is_str(h->gres, "gpu:l40s:4", "its Gres");
    is_str(h->addr, "h02", "an address is the name");
    is_str(c->gres, "", "Gres can be emptied");
    is_int(c->cpus, 32, "CPUs that match no level are reset to the hardware's");
    is_int(l->sockets, 4, "sockets of two boards");
    is_int(l->cpus, 32, "all of them");
    is_str(l->state, "FUTURE", "State");
}

static void test_gpu_parts(const struct site *s)
{
    is_int(s->nparts, 7, "seven partitions");
    const struct site_part *p = site_part(s, "gpu");
    ok(p->nnodes == 5 && p->node[4] == 4, "a set by feature, and a node");
    is_int(p->max_time_min, 2880, "from DEFAULT");
    ok(!p->allow_groups, "ALL groups is no limit");
    ok(!p->is_default, "a later Default=YES wins");
    is_int(p->priority_tier, 10, "tier");
    is_int(p->priority_job_factor, 1, "factor");
    p = site_part(s, "all");
    is_int(p->max_time_min, SITE_INFINITE, "unlimited");
    ok(p->allow_accounts && !p->deny_accounts, "allowed accounts beat denied ones");
    is_int(p->priority_tier * 10 + p->priority_job_factor, 77, "Priority is both");
    p = site_part(s, "mix");
    is_int(p->nnodes, 4, "a set of both kinds, and a node");
    is_str(p->oversubscribe, "FORCE:4", "FORCE is four");
    is_str(p->allow_groups, "staff", "groups");
    ok(p->def_mem_per_node_mb == 10 && !p->def_mem_per_cpu_mb, "memory by node wins");
    p = site_part(s, "own");
    is_int(p->nnodes, 3, "feature{}");
    ok(p->exclusive_user && str_eq(p->exclusive, "USER"), "Exclusive=USER");
    is_str(p->oversubscribe, "YES:2", "YES with a count");
    p = site_part(s, "whole");
    ok(p->nnodes == 0 && str_eq(p->exclusive, "NODE") && str_eq(p->oversubscribe, "EXCLUSIVE"),
       "whole nodes, the old way; no nodes");
    ok(site_part(s, "p1") && site_part(s, "p2")->is_default && !site_part(s, "p1")->is_default,
       "several partitions on a line");
}

static void test_gpu_site(void)
{
    struct site *s = load(gpu_site);
    if (!ok(s != NULL, "a GPU cluster"))
        return;
    is_int(s->nctl, 2, "two controllers");
    ok(s->ctl[0].id == 1 && str_eq(s->ctl[0].name, "head") && str_eq(s->ctl[0].host, "10.0.0.1") &&
           s->ctl[0].port == 7000,
       "the first");
    ok(s->ctl[1].id == 2 && str_eq(s->ctl[1].name, "backup") && str_eq(s->ctl[1].host, "backup") &&
           s->ctl[1].port == 7000,
       "the second");
    test_gpu_nodes(s);
    test_gpu_parts(s);
    is_int(s->nnodesets, 2, "two sets");
    site_free(s);
}

/* ---- words that nothing acts on ---- */

static void collect(void *arg, const char *sentence)
{
    buf_addf(arg, "%s\n", sentence);
}

static void test_words(void)
{
    auto_buf struct buf said = BUF_INIT;
    struct site *s = load(HEAD "SlurmctldParameters=rl_enable,cloud_dns,rl_bucket_size=5\n");
    if (!ok(s != NULL, "SlurmctldParameters"))
        return;
    site_warnings(s, collect, &said);
    is_str(said.s, "SlurmctldParameters=cloud_dns is not acted on by this release\n", "a word without effect is named");
    site_free(s);
}

/* ---- global values ---- */

static void test_globals(void)
{
    struct site *s = load(
        HEAD "killwait=45\nKillWait=50\nDefMemPerCPU=5\nDefMemPerNode=10\nMaxMemPerNode=UNLIMITED\nMinJobAge=0\n"
             "Prolog=/a\nProlog=/b\nSelectTypeParameters=cr_cpu_memory\nSchedulerParameters=bf_interval=2,defer\n"
             "SlurmdDebug=5\nMaxJobId=99999999\nSpurControllers=3@127.0.0.1:7001,5@[::1]:7002,9@far\nSpurKeyFile=/k\n");
    if (!ok(s != NULL, "global keys"))
        return;
    is_int(s->kill_wait_s, 50, "the last of two lines counts");
    is_str(site_value(s, "KILLWAIT"), "50", "by name");
    is_str(site_value(s, "SlurmdTimeout"), "300", "a default by name");
    ok(!site_value(s, "Epilog") && !site_value(s, "Nonsense"), "NULL for what is not set, or none");
    ok(s->def_mem_per_node_mb == 10 && !s->def_mem_per_cpu_mb && !s->max_mem_per_node_mb, "memory");
    is_int(s->min_job_age_s, 2, "MinJobAge is at least 2");
    is_int(s->max_job_id, 67043328, "MaxJobId has an end");
    is_str(s->prolog, "/a\n/b", "two prologs");
    is_str(s->select_type_parameters, "CR_CPU_MEMORY", "words in their own spelling");
    is_str(s->node_log_level, "debug", "a level by number");
    is_str(site_param(s->scheduler_parameters, "BF_Interval"), "2,defer", "a parameter's value");
    is_str(site_param(s->scheduler_parameters, "defer"), "", "a bare parameter");
    ok(!site_param(s->scheduler_parameters, "bf_int") && !site_param(NULL, "x"), "no parameter");
    is_int(s->nctl, 3, "SpurControllers");
    ok(s->ctl[0].id == 3 && str_eq(s->ctl[0].name, "head") && str_eq(s->ctl[0].host, "127.0.0.1") &&
           s->ctl[0].port == 7001,
       "3, named by SlurmctldHost");
    ok(s->ctl[1].id == 5 && str_eq(s->ctl[1].host, "::1") && s->ctl[1].port == 7002, "5, IPv6");
    ok(s->ctl[2].id == 9 && str_eq(s->ctl[2].name, "far") && s->ctl[2].port == 6817, "9, with SlurmctldPort");
    is_str(s->key_file, "/k", "SpurKeyFile");
    site_free(s);

    s = load("ClusterName=x\nControlMachine=old\nControlAddr=1.2.3.4\nBackupController=older\n");
    ok(s && s->nctl == 2 && str_eq(s->ctl[0].host, "1.2.3.4") && str_eq(s->ctl[1].name, "older"),
       "the old names of controllers");
    site_free(s);
    s = load("ClusterName=x\nSpurControllers=1@a:5\n");
    ok(s && s->nctl == 1 && str_eq(s->ctl[0].name, "a"), "SpurControllers alone");
    ok(s && s->nnodes == 0 && s->nparts == 0, "no nodes is fine");
    site_free(s);
}

static void test_discovered(void)
{
    struct site *s = load(HEAD "NodeName=a\nNodeName=b CPUs=8\nNodeName=c CPUs=8 CoresPerSocket=4\n"
                               "NodeName=d Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=8\n");
    if (!ok(s != NULL, "hardware half told"))
        return;
    ok(!s->node[0].cpus && !s->node[0].sockets && !s->node[0].mem_mb, "nothing said: the node tells");
    ok(s->node[1].cpus == 8 && s->node[1].sockets == 8 && s->node[1].cores == 1, "CPUs alone are sockets");
    ok(s->node[2].cpus == 8 && s->node[2].sockets == 2, "sockets follow from CPUs and cores");
    ok(s->node[3].cpus == 8 && s->node[3].threads == 2, "CPUs may count cores");
    site_free(s);
}

/* ---- no file, commands, unused keys ---- */

static void test_no_file(void)
{
    struct site *s = NULL;
    struct err err = ERR_INIT;
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    if (!ok(site_load(&s, NULL, &err) == 0, "no file at all: %s", err.text))
        return;
    ok(!s->path && s->nnodes == 1 && str_eq(s->node[0].name, host), "one node, named as the host");
    ok(s->nparts == 1 && str_eq(s->part[0].name, "main") && s->part[0].is_default && s->part[0].nnodes == 1,
       "one partition, main");
    ok(s->ctl_port == 6817 && s->node_port == 6818 && s->nctl == 1, "the usual ports");
    ok(s->socket_dir && s->key_file && s->state_dir && s->node_spool_dir, "places for everything");
    site_free(s);
    is_int(site_load(&s, "/no/such/slurm.conf", &err), ENOENT, "a file that was named must be there");
    is_str(err.text, "cannot read /no/such/slurm.conf: No such file or directory", "and the sentence says so");
    setenv("SLURM_CONF", "/some/where", 1);
    is_str(site_find_conf(), "/some/where", "$SLURM_CONF is believed");
    unsetenv("SLURM_CONF");
}

static void test_client(void)
{
    char path[] = "/tmp/site-test-XXXXXX";
    struct site *s = NULL;
    struct err err = ERR_INIT;
    auto_close int fd = mkstemp(path);
    ok(write(fd, gpu_site, strlen(gpu_site)) > 0, "a file");
    is_int(site_load_client(&s, path, &err), 0, "read for a command");
    ok(s && s->client && s->nctl == 2 && s->nnodes == 0 && s->nparts == 0 && s->def_mem_per_cpu_mb == 2000,
       "global keys alone");
    is_str(s->path, path, "its path");
    site_free(s);
    unlink(path);
}

static void note(void *arg, const char *key, const char *file, uint32_t line)
{
    buf_addf(arg, "%s:%u:%s ", file, line, key);
}

static void test_unused(void)
{
    struct site *s = load(HEAD "authtype=auth/munge\nAuthType=auth/slurm\nKillWait=3\n"
                               "NodeName=a Parameters=x\nNodeName=b Parameters=x CPUs=2\n"
                               "PartitionName=p Nodes=a ResumeTimeout=5\n");
    auto_buf struct buf out = BUF_INIT;
    conf_unused(s, note, &out);
    is_str(out.s, "slurm.conf:3:AuthType slurm.conf:6:Parameters slurm.conf:8:ResumeTimeout ",
           "each unused key once, at its first line");
    site_free(s);
}

int main(void)
{
    test_one_host();
    test_gpu_site();
    test_words();
    test_globals();
    test_discovered();
    test_no_file();
    test_client();
    test_unused();
    return test_done();
}
