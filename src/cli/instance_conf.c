/* instance_conf - the slurm.conf of a cluster of one machine: written from nothing, or a site's own made private. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#include "base/buf.h"
#include "base/str.h"
#include "cli/instance.h"
#include "text/hostlist.h"
#include "wire/cred.h"

#define NODES_MAX 10000u
#define CONTROLLERS_MAX 9u
#define SIBLING_MAX ((size_t)16 << 20)

/* Below the range that Linux hands out to connections of its own. */
#define PORT_FIRST 20000u
#define PORT_LAST 32000u
#define PORT_TRIES 200

/* What an emulated node has. */
#define EMULATED_CPUS 64u
#define EMULATED_MEM_MB 256000u

struct plan {
    uint32_t controllers, nodes;
    bool emulate;
    uint16_t port[CONTROLLERS_MAX];
    uint16_t node_port; /* of the first node */
    char host[256];
    char *user;
};

/* ---- ports ---- */

static bool port_free(uint16_t port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1; /* ports of connections that ended a minute ago are free to listen on */
    return fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
           !bind(fd, (struct sockaddr *)&at, sizeof(at)) && !listen(fd, 1);
}

/* The first of `count` consecutive free ports.  The search begins at random: other processes may search too. */
static int find_ports(uint32_t count, uint16_t *first, struct err *err)
{
    if (count > PORT_LAST - PORT_FIRST)
        return err_set(err, EINVAL, "%u ports in a row are too many", count);
    for (int i = 0; i < PORT_TRIES; i++) {
        uint32_t random, n = 0;
        cred_random(&random, sizeof(random));
        uint32_t base = PORT_FIRST + random % (PORT_LAST - PORT_FIRST - count + 1);
        while (n < count && port_free((uint16_t)(base + n)))
            n++;
        if (n == count) {
            *first = (uint16_t)base;
            return 0;
        }
    }
    return err_set(err, EADDRINUSE, "no %u free ports in a row between %u and %u on 127.0.0.1", count, PORT_FIRST,
                   PORT_LAST);
}

/* The controllers of a log know each other by address: what was given once stays. */
static int plan_ports(const struct instance *in, struct plan *p, struct err *err)
{
    uint16_t first;
    const struct site *old = in->site;
    auto_free char *log = instance_path(in, "state/ctl1");
    bool history = old && !access(log, F_OK);
    if (history && old->nctl != p->controllers)
        return err_set(err, EEXIST,
                       "the cluster in %s has %zu controllers and a history; take another --dir, or remove the folder",
                       in->dir, old->nctl);
    if (history) {
        for (size_t i = 0; i < old->nctl; i++)
            p->port[i] = old->ctl[i].port;
        return 0;
    }
    int rc = find_ports(p->controllers, &first, err);
    for (uint32_t i = 0; !rc && i < p->controllers; i++)
        p->port[i] = (uint16_t)(first + i);
    return rc;
}

static int plan_make(const struct instance *in, const struct instance_request *request, struct plan *p, struct err *err)
{
    p->controllers = request->controllers ? request->controllers : in->site ? (uint32_t)in->site->nctl : 1;
    p->emulate = request->emulate;
    p->nodes = request->nodes ? request->nodes : in->site ? (uint32_t)in->site->nnodes : 1;
    if (p->controllers > CONTROLLERS_MAX)
        return err_set(err, EINVAL, "at most %u controllers, and an odd number is best", CONTROLLERS_MAX);
    if (p->nodes > NODES_MAX)
        return err_set(err, EINVAL, "at most %u nodes on one machine", NODES_MAX);
    if (gethostname(p->host, sizeof(p->host) - 1))
        strcpy(p->host, "localhost");
    p->host[strcspn(p->host, ".")] = '\0';
    struct passwd *pw = getpwuid(geteuid());
    p->user = pw ? mem_str(pw->pw_name) : mem_printf("%u", (unsigned)geteuid());
    return plan_ports(in, p, err);
}

/* ---- what every instance has of its own ---- */

static void add_own_keys(const struct instance *in, const struct plan *p, struct buf *out)
{
    buf_adds(out, "SpurControllers=");
    for (uint32_t i = 0; i < p->controllers; i++)
        buf_addf(out, "%s%u@127.0.0.1:%u", i ? "," : "", i + 1, p->port[i]);
    buf_addf(out, "\nSpurSocketDir=%s/run\nSpurKeyFile=%s/etc/spur.key\n", in->dir, in->dir);
    buf_addf(out, "StateSaveLocation=%s/state\nSlurmdSpoolDir=%s/spool/%%n\n", in->dir, in->dir);
    buf_addf(out, "SlurmctldPidFile=%s/run/slurmctld.pid\nSlurmdPidFile=%s/run/slurmd.%%n.pid\n", in->dir, in->dir);
    buf_addf(out, "SlurmUser=%s\n", p->user);
}

/* The same keys, and the log files: the daemons' standard error is their log here. */
static bool is_own_key(const char *key)
{
    static const char *const own[] = {
        "SpurControllers", "SpurSocketDir",    "SpurKeyFile", "SpurKeyDir", "StateSaveLocation", "SlurmdSpoolDir",
        "SlurmdPidFile",   "SlurmctldPidFile", "SlurmUser",   "SlurmdUser", "SlurmctldLogFile",  "SlurmdLogFile",
    };
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (str_ieq(own[i], key))
            return true;
    return false;
}

/* ---- from nothing ---- */

static void add_nodes(const struct plan *p, struct buf *out)
{
    struct sysinfo si;
    long cpus = MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
    uint64_t mem_mb = sysinfo(&si) ? 1024 : (uint64_t)si.totalram * si.mem_unit >> 20;
    if (p->emulate) {
        buf_addf(out, "SlurmdParameters=config_overrides\nDefMemPerCPU=%u\n", EMULATED_MEM_MB / EMULATED_CPUS);
        buf_addf(out,
                 "NodeName=n[1-%u] NodeHostname=%s NodeAddr=127.0.0.1 Port=%u CPUs=%u RealMemory=%u State=UNKNOWN\n",
                 p->nodes, p->host, p->node_port, EMULATED_CPUS, EMULATED_MEM_MB);
        return;
    }
    buf_addf(out, "# a job that asks for no memory gets the share of its CPUs, so that several fit on a node\n");
    buf_addf(out, "DefMemPerCPU=%llu\n", (unsigned long long)MAX(mem_mb / (uint64_t)cpus, 1ull));
    if (p->nodes == 1 && !p->emulate) {
        buf_addf(out, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%u State=UNKNOWN\n", p->host, p->host,
                 p->node_port);
        return;
    }
    buf_adds(out, "SlurmdParameters=config_overrides\n");
    buf_addf(
        out,
        "NodeName=n[1-%u] NodeHostname=%s NodeAddr=127.0.0.1 Port=[%u-%u] CPUs=%ld RealMemory=%llu State=UNKNOWN\n",
        p->nodes, p->host, p->node_port, p->node_port + p->nodes - 1, cpus, (unsigned long long)mem_mb);
}

/* Root's daemons can hold jobs to what they were given; where cgroups are missing, spurd says so. */
static int add_isolation(const struct instance *in, struct buf *out, struct err *err)
{
    static const char limits[] =
        "# Written by `spur up`: jobs get no more memory than they were given, and no devices but theirs.\n"
        "ConstrainRAMSpace=yes\nConstrainDevices=yes\n";
    if (geteuid() != 0)
        return 0;
    auto_free char *path = instance_path(in, "etc/cgroup.conf");
    buf_adds(out, "ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup\n");
    return instance_write(path, limits, sizeof(limits) - 1, 0644, err);
}

static int conf_from_nothing(const struct instance *in, struct plan *p, struct buf *out, struct err *err)
{
    int rc = find_ports(p->emulate ? 1 : p->nodes, &p->node_port, err);
    if (rc)
        return rc;
    buf_adds(out, "# Written by `spur up`: a cluster on one machine.  Change it, then `scontrol reconfigure`.\n");
    buf_addf(out, "ClusterName=spur\nSlurmctldHost=%s(127.0.0.1)\nSlurmctldPort=%u\nSlurmdPort=%u\n", p->host,
             p->port[0], p->node_port);
    add_own_keys(in, p, out);
    buf_adds(out, "ReturnToService=2\n");
    add_nodes(p, out);
    buf_adds(out, "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n");
    return add_isolation(in, out, err);
}

/* ---- from a site's file ---- */

static void add_value(struct buf *out, const char *value)
{
    bool quote = !*value || strpbrk(value, " \t");
    if (quote)
        buf_addc(out, '"');
    for (; *value; value++) {
        if (strchr("#\\", *value))
            buf_addc(out, '\\');
        buf_addc(out, *value);
    }
    if (quote)
        buf_addc(out, '"');
}

static void add_lines(const struct conf *c, struct buf *out)
{
    for (size_t i = 0; i < c->line.n; i++) {
        const struct conf_line *line = &c->line.at[i];
        if (is_own_key(c->pair.at[line->first].key))
            continue;
        for (uint32_t k = 0; k < line->n; k++) {
            const struct conf_pair *pair = &c->pair.at[line->first + k];
            buf_addf(out, "%s%s=", k ? " " : "", pair->key);
            add_value(out, pair->value);
        }
        buf_addc(out, '\n');
    }
}

/* What stands beside slurm.conf comes along. */
static int copy_siblings(const struct instance *in, const char *file, struct err *err)
{
    static const char *const names[] = { "gres.conf",      "cgroup.conf",      "topology.conf", "topology.yaml",
                                         "job_submit.lua", "acct_gather.conf", "helpers.conf",  "job_container.conf" };
    const char *slash = strrchr(file, '/');
    auto_free char *dir = slash ? mem_strn(file, (size_t)(slash - file)) : mem_str(".");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        auto_free char *from = mem_printf("%s/%s", dir, names[i]), *to = instance_path(in, "etc/%s", names[i]);
        auto_buf struct buf text = BUF_INIT;
        int rc = access(from, F_OK) ? 0 : buf_read_file(&text, from, SIBLING_MAX);
        if (rc)
            return err_set(err, rc, "cannot read %s: %s", from, err_text(rc));
        if (text.s && (rc = instance_write(to, text.s, text.len, 0644, err)))
            return rc;
    }
    return 0;
}

static int conf_from_file(const struct instance *in, const struct plan *p, const char *file, struct buf *out,
                          struct err *err)
{
    struct site *check = NULL; /* so that mistakes are reported with the lines of the user's own file */
    int rc = site_load(&check, file, err);
    site_free(check);
    if (rc)
        return rc;
    auto_conf struct conf c = CONF_INIT;
    rc = conf_read(&c, file, err);
    if (rc)
        return rc;
    buf_addf(out, "# Written by `spur up --conf %s`: that file, with the keys below for a cluster of its own.\n", file);
    add_own_keys(in, p, out);
    buf_adds(out, "# ---- the file ----\n");
    add_lines(&c, out);
    return copy_siblings(in, file, err);
}

/* ---- which nodes have their agent here ---- */

static bool is_here(const struct site_node *n, const char *host)
{
    const char *name = str_or(n->hostname, n->name);
    char full[256] = "";
    gethostname(full, sizeof(full) - 1);
    static const char *const always[] = { "localhost", "127.0.0.1", "::1" };
    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        if (str_eq(name, always[i]))
            return true;
    return str_eq(name, host) || str_eq(name, full);
}

/* One agent for all of them. */
static int write_emulated(const struct instance *in, const struct site *site, struct err *err)
{
    auto_free char **names = mem_array(site->nnodes + 1, sizeof(*names));
    for (size_t i = 0; i < site->nnodes; i++)
        names[i] = site->node[i].name;
    auto_free char *list = hostlist_compress(names, site->nnodes), *line = mem_printf("emulate %s\n", list);
    auto_free char *path = instance_path(in, "etc/agents");
    return instance_write(path, line, strlen(line), 0644, err);
}

static int write_agents(const struct instance *in, const struct plan *p, const struct buf *conf, uint32_t limit,
                        struct err *err)
{
    struct site *site = NULL;
    int rc = site_load_text(&site, conf->s, conf->len, in->conf, err);
    if (rc)
        return rc;
    if (p->emulate) {
        rc = write_emulated(in, site, err);
        site_free(site);
        return rc;
    }
    auto_buf struct buf names = BUF_INIT;
    uint32_t n = 0;
    for (size_t i = 0; i < site->nnodes && (!limit || n < limit); i++) {
        if (!is_here(&site->node[i], p->host) || str_ieq(site->node[i].state, "FUTURE"))
            continue;
        buf_addf(&names, "%s\n", site->node[i].name);
        n++;
    }
    site_free(site);
    auto_free char *path = instance_path(in, "etc/agents");
    if (!n)
        return err_set(err, ENOENT,
                       "no node of the configuration has NodeHostname=%s (or localhost): nothing would run here",
                       p->host);
    return instance_write(path, names.s, names.len, 0644, err);
}

int instance_write_conf(struct instance *in, const struct instance_request *request, struct err *err)
{
    struct plan p = { 0 };
    auto_buf struct buf text = BUF_INIT;
    int rc = plan_make(in, request, &p, err);
    if (!rc)
        rc = request->conf ? conf_from_file(in, &p, request->conf, &text, err) : conf_from_nothing(in, &p, &text, err);
    if (!rc)
        rc = write_agents(in, &p, &text, request->conf ? request->nodes : 0, err);
    if (!rc)
        rc = instance_write(in->conf, text.s, text.len, 0644, err);
    free(p.user);
    return rc;
}
