/* Every mistake in a slurm.conf is refused with its file, its line, and what is wrong. */
#include "text/site.h"

#include "base/str.h"
#include "test.h"

#define HEAD "ClusterName=x\nSlurmctldHost=h\n" /* so the mistakes start at line 3 */

static const struct {
    const char *text, *want;
} cases[] = {
    /* the grammar */
    { HEAD "MailDomain=foo hello", "f:3: parse error at \"hello\": expected key=value" },
    { HEAD "Licenses=", "f:3: parse error at \"Licenses=\": expected key=value" },
    { HEAD "MailProg=/a MailDomain=b", "f:3: parse error at \"MailDomain=b\": MailProg stands alone on its line" },
    { HEAD "Include other.conf", "f:3: Include other.conf: there is no file to include from" },
    { HEAD "NodeName=a Reason=two words", "f:3: parse error at \"words\": expected key=value" },

    /* keys */
    { HEAD "\n\nFoo=bar", "f:5: unknown key Foo" },
    { HEAD "ClusterNane=x", "f:3: unknown key ClusterNane (did you mean ClusterName?)" },
    { HEAD "JobDefaults=x", "f:3: unknown key JobDefaults" },
    { HEAD "NodeName=a CPU=2", "f:3: unknown key CPU on a NodeName line (did you mean CPUs?)" },
    { HEAD "NodeName=a NodeName=b", "f:3: unknown key NodeName on a NodeName line" },
    { HEAD "PartitionName=a Node=b", "f:3: unknown key Node on a PartitionName line (did you mean Nodes?)" },
    { HEAD "PartitionName=a CPUs=2", "f:3: unknown key CPUs on a PartitionName line" },
    { HEAD "DownNodes=a Status=DOWN", "f:3: unknown key Status on a DownNodes line (did you mean State?)" },
    { HEAD "NodeSet=a Features=b", "f:3: unknown key Features on a NodeSet line (did you mean Feature?)" },
    { HEAD "SallocDefaultCommand=x",
      "f:3: SallocDefaultCommand is no longer a key of slurm.conf: use LaunchParameters=use_interactive_step" },
    { HEAD "AccountingStoreJobComment=YES",
      "f:3: AccountingStoreJobComment is no longer a key of slurm.conf: use AccountingStoreFlags=job_comment" },

    /* what must be there */
    { "SlurmctldHost=h", "f: ClusterName needs to be specified" },
    { "", "f: ClusterName needs to be specified" },
    { "ClusterName=x", "f: no SlurmctldHost defined" },

    /* global values */
    { HEAD "KillWait=abc", "f:3: KillWait=abc: not a valid number" },
    { HEAD "KillWait=70000", "f:3: KillWait=70000: greater than 65535" },
    { HEAD "SlurmdTimeout=-5", "f:3: SlurmdTimeout=-5: less than zero" },
    { HEAD "JobRequeue=yes", "f:3: JobRequeue=yes: not a valid number" },
    { HEAD "DisableRootJobs=maybe", "f:3: DisableRootJobs=maybe: not a valid option, say yes or no" },
    { HEAD "SlurmctldDebug=loud",
      "f:3: SlurmctldDebug=loud: not a log level, say quiet, fatal, error, info, verbose or debug to debug5" },
    { HEAD "SlurmctldPort=0", "f:3: SlurmctldPort=0: not a port or a range of ports" },
    { HEAD "SlurmctldPort=7-5", "f:3: SlurmctldPort=7-5: not a port or a range of ports" },
    { HEAD "SlurmdPort=0", "f:3: SlurmdPort=0: not a port" },
    { HEAD "EnforcePartLimits=some", "f:3: EnforcePartLimits=some: \"some\" is not one of NO, ANY, ALL" },
    { HEAD "PreemptMode=nice",
      "f:3: PreemptMode=nice: \"nice\" is not one of GANG, WITHIN, PRIORITY, OFF, CANCEL, REQUEUE, SUSPEND" },
    { HEAD "PrologFlags=Alloc,x", "f:3: PrologFlags=Alloc,x: \"x\" is not one of Alloc, Contain, DeferBatch, NoHold, "
                                  "RunInJob, ForceRequeueOnFail, Serial, X11" },
    { HEAD "PriorityUsageResetPeriod=hourly", "f:3: PriorityUsageResetPeriod=hourly: \"hourly\" is not one of NONE, "
                                              "NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY" },
    { HEAD "MaxJobCount=0", "f:3: MaxJobCount=0: no jobs would be permitted" },
    { HEAD "MaxStepCount=0", "f:3: MaxStepCount=0: no steps would be permitted" },
    { HEAD "FirstJobId=0", "f:3: FirstJobId=0: cannot be zero" },
    { HEAD "MaxJobId=5\nFirstJobId=10", "f:4: FirstJobId=10: greater than MaxJobId" },
    { HEAD "PropagatePrioProcess=3", "f:3: PropagatePrioProcess=3: \"3\" is not one of 0, 1, 2" },
    { HEAD "SlurmctldHost=a(b", "f:3: SlurmctldHost=a(b: say NAME or NAME(ADDRESS)" },
    { HEAD "SlurmctldHost=(b)", "f:3: SlurmctldHost=(b): say NAME or NAME(ADDRESS)" },
    { HEAD "SpurControllers=x", "f:3: SpurControllers=x: \"x\" is not ID@HOST:PORT" },
    { HEAD "SpurControllers=0@a:1", "f:3: SpurControllers=0@a:1: \"0@a:1\" is not ID@HOST:PORT" },
    { HEAD "SpurControllers=1@a:1,2@:5", "f:3: SpurControllers=1@a:1,2@:5: \"2@:5\" is not ID@HOST:PORT" },
    { HEAD "SpurControllers=1@a:99999", "f:3: SpurControllers=1@a:99999: \"1@a:99999\" is not ID@HOST:PORT" },
    { HEAD "SpurControllers=1@a:1,1@b:2", "f:3: SpurControllers=1@a:1,1@b:2: controller 1 stands there twice" },

    /* nodes */
    { HEAD "NodeName=a CPUs=x", "f:3: CPUs=x: not a valid number" },
    { HEAD "NodeName=a Procs=70000", "f:3: CPUs=70000: greater than 65535" },
    { HEAD "NodeName=a RealMemory=4G", "f:3: RealMemory=4G: not a valid number" },
    { HEAD "NodeName=a Weight=-1", "f:3: Weight=-1: less than zero" },
    { HEAD "NodeName=a State=BROKEN",
      "f:3: State=BROKEN: \"BROKEN\" is not one of UNKNOWN, DOWN, DRAIN, FAIL, FAILING, CLOUD, FUTURE" },
    { HEAD "NodeName=a[1-2] NodeHostname=h[1-3]", "f:3: NodeHostname=h[1-3]: 3 for 2 nodes; say one, or one for each" },
    { HEAD "NodeName=a[1-3] NodeAddr=h[1-2]", "f:3: NodeAddr=h[1-2]: 2 for 3 nodes; say one, or one for each" },
    { HEAD "NodeName=a[1-2] Port=[1-3]", "f:3: Port=[1-3]: 3 for 2 nodes; say one, or one for each" },
    { HEAD "NodeName=a[1-2] Port=x", "f:3: Port=x: not a port" },
    { HEAD "NodeName=a Port=0", "f:3: Port=0: not a port" },
    { HEAD "NodeName=a\n\nNodeName=b,a", "f:5: duplicate node a, already at f:3" },
    { HEAD "NodeName=a[1-2],a2", "f:3: duplicate node a2, already at f:3" },
    { HEAD "NodeName=a[1-2", "f:3: NodeName=a[1-2: *" },
    { HEAD "NodeName=a[1-99999999]", "f:3: NodeName=a[1-99999999]: *" },
    { HEAD "NodeName=ALL", "f:3: NodeName=ALL: ALL is a reserved word" },
    { HEAD "NodeName=\"\"", "f:3: NodeName is empty" },
    { HEAD "NodeName=DEFAULT NodeHostname=x", "f:3: NodeHostname not allowed with NodeName=DEFAULT" },
    { HEAD "NodeName=DEFAULT NodeAddr=x", "f:3: NodeAddr not allowed with NodeName=DEFAULT" },
    { HEAD "NodeName=a Sockets=2 SocketsPerBoard=2", "f:3: Sockets and SocketsPerBoard are mutually exclusive" },
    { HEAD "NodeName=a CoreSpecCount=2 CpuSpecList=1", "f:3: CoreSpecCount and CpuSpecList are mutually exclusive" },
    { HEAD "NodeName=a CPUs=2 CpuSpecList=2", "f:3: CpuSpecList=2: not a list of the node's CPUs" },
    { HEAD "Licenses=a:1|b", "f:3: Licenses=a:1|b: say NAME or NAME:COUNT, *" },
    { HEAD "Licenses=a@db:1", "f:3: Licenses=a@db:1: say NAME or NAME:COUNT, *" },
    { HEAD "NodeName=a RealMemory=5 MemSpecLimit=10", "f:3: MemSpecLimit=10: must be less than RealMemory=5" },
    { HEAD "NodeName=a Sockets=60000 CoresPerSocket=60000", "f:3: more than 65533 CPUs in one node" },
    { HEAD "NodeName=a SuspendTime=x", "f:3: SuspendTime=x: not a valid number" },
    { HEAD "NodeName=a\nDownNodes=b", "f:4: DownNodes: node b is not configured" },
    { HEAD "NodeName=a\nDownNodes=a State=IDLE",
      "f:4: State=IDLE: \"IDLE\" is not one of DOWN, DRAIN, FAIL, FAILING, FUTURE" },
    { HEAD "NodeName=a\nNodeSet=a Feature=b", "f:4: NodeSet=a: there is a node of that name" },

    /* partitions */
    { HEAD "PartitionName=p Nodes=b", "f:3: PartitionName=p: node b is not configured" },
    { HEAD "NodeName=b1\nPartitionName=p Nodes=b[1-2]", "f:4: PartitionName=p: node b2 is not configured" },
    { HEAD "NodeSet=s Nodes=zz\nPartitionName=p Nodes=s",
      "f:4: PartitionName=p: NodeSet=s: node zz is not configured" },
    { HEAD "PartitionName=p\nPartitionName=p", "f:4: PartitionName=p: duplicate partition p, already at f:3" },
    { HEAD "PartitionName=p Default=x", "f:3: Default=x: not a valid option, say yes or no" },
    { HEAD "PartitionName=p State=OPEN", "f:3: State=OPEN: \"OPEN\" is not one of UP, DOWN, DRAIN, INACTIVE" },
    { HEAD "PartitionName=p MaxTime=x",
      "f:3: MaxTime=x: not a valid time, say minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED" },
    { HEAD "PartitionName=p DefaultTime=1:2:3:4", "f:3: DefaultTime=1:2:3:4: not a valid time, say minutes, "
                                                  "hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED" },
    { HEAD "PartitionName=p OverSubscribe=x",
      "f:3: PartitionName=p: OverSubscribe=x: not one of NO, YES, YES:COUNT, FORCE, FORCE:COUNT" },
    { HEAD "PartitionName=p OverSubscribe=FORCE:x",
      "f:3: PartitionName=p: OverSubscribe=FORCE:x: not one of NO, YES, YES:COUNT, FORCE, FORCE:COUNT" },
    { HEAD "PartitionName=p OverSubscribe=NO:2",
      "f:3: PartitionName=p: OverSubscribe=NO:2: not one of NO, YES, YES:COUNT, FORCE, FORCE:COUNT" },
    { HEAD "PartitionName=p Exclusive=x", "f:3: Exclusive=x: \"x\" is not one of NO, NODE, USER, TOPO" },
    { HEAD "PartitionName=p PreemptMode=x", "f:3: PartitionName=p: PreemptMode=x: \"x\" is not a preemption mode" },
    { HEAD "PartitionName=p PriorityTier=70000", "f:3: PriorityTier=70000: greater than 65535" },
    { HEAD "PartitionName=p MaxNodes=x", "f:3: MaxNodes=x: not a valid number" },
    { HEAD "PartitionName=p MinNodes=5 MaxNodes=2", "f:3: PartitionName=p: MinNodes=5: greater than MaxNodes=2" },
    { HEAD "PartitionName=p Nodes=a[1", "f:3: Nodes=a[1: *" },
    { HEAD "NodeName=a[1-60000]\nNodeName=b[1-60000]", "f:4: NodeName=b[1-60000]: more than 65536 nodes" },
    { HEAD "PartitionName=p[1-3000]", "f:3: PartitionName=p[1-3000]: more than 2000 partitions" },
    { HEAD "PartitionName=\"\"", "f:3: PartitionName=: no name" },
    { HEAD "PartitionName=p SelectTypeParameters=CR_CPU", "f:3: SelectTypeParameters=CR_CPU: \"CR_CPU\" is not one of "
                                                          "CR_CORE, CR_CORE_MEMORY, CR_SOCKET, CR_SOCKET_MEMORY" },
    { HEAD "PowerAction=x Program=/p", "f:3: PowerAction=x: needs Location=slurmctld or Location=slurmd" },
    { HEAD "PowerAction=x Location=moon", "f:3: Location=moon: \"moon\" is not one of slurmctld, slurmd" },
};

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct site *s = NULL;
        struct err err = ERR_INIT;
        int rc = site_load_text(&s, cases[i].text, strlen(cases[i].text), "f", &err);
        size_t n = strlen(cases[i].want);
        if (n && cases[i].want[n - 1] == '*') /* another module's sentence follows */
            ok(rc && !strncmp(err.text, cases[i].want, n - 1) && strlen(err.text) > n - 1, "%s", err.text);
        else
            is_str(rc ? err.text : "(accepted)", cases[i].want, "refused: %s", cases[i].want);
        ok(!rc || !s, "nothing is left behind");
        site_free(s);
        is_int(site_load_text(&s, cases[i].text, strlen(cases[i].text), "f", NULL), rc,
               "the same number without a place for words");
        if (!rc)
            site_free(s);
    }
    return test_done();
}
