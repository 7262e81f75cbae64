/* spurd - the node agent: runs the steps that the controller orders, and reports their ends. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/account_cache.h"
#include "io/keys.h"
#include "node/agent.h"
#include "node/emulate.h"
#include "node/groups.h"
#include "node/hook.h"
#include "node/hw.h"
#include "node/isolate.h"
#include "node/listen.h"
#include "node/signals.h"
#include "node/tree.h"

#ifndef SPUR_LIBEXECDIR
#define SPUR_LIBEXECDIR "/usr/libexec/spur"
#endif
#ifndef SLURM_VERSION
#define SLURM_VERSION "26.05.5"
#endif

struct flags {
    bool foreground, clean;
    int verbose;
    const char *conf, *node, *log, *stepd, *emulate;
    double emulate_s;
};

/* ---- the command line ---- */

static _Noreturn void usage(int code)
{
    fputs("Usage: spurd [OPTIONS]\n"
          "   -c            forget what an earlier spurd left in the spool\n"
          "   -C            print this node's configuration line and exit\n"
          "   -d PROGRAM    the supervisor to start steps with\n"
          "   -D            stay in the foreground\n"
          "   -f FILE       the configuration to read\n"
          "   -h            print this help\n"
          "   -L FILE       log to FILE\n"
          "   -N NODE       be the daemon of NODE\n"
          "   -v            say more; repeat for more\n"
          "   -V            print the version and exit\n"
          "   --emulate NODES     play these nodes, and run nothing: see the manual\n"
          "   --emulate-time S    how long a step of theirs takes that does not say (0)\n",
          code ? stderr : stdout);
    exit(code);
}

static const char *program_name;

static _Noreturn void version(void)
{
    if (str_has_prefix(program_name, "slurm"))
        printf("slurm %s\n", SLURM_VERSION);
    else
        printf("spurd %s\n", SPUR_VERSION);
    exit(0);
}

static _Noreturn void refuse(const char *option)
{
    fprintf(stderr, "%s: option %s is known to Slurm and not supported here\n", program_name, option);
    exit(1);
}

static _Noreturn void refuse_long(const char *name)
{
    auto_free char *option = mem_printf("--%s", name);
    refuse(option);
}

static _Noreturn void print_config(void)
{
    char host[256] = "localhost";
    gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    hw_print(host);
    exit(0);
}

static double parse_seconds(const char *text)
{
    char *end;
    double s = strtod(text, &end);
    if (end == text || *end || !(s >= 0 && s <= 1e7)) {
        fprintf(stderr, "%s: --emulate-time %s is not a number of seconds\n", program_name, text);
        exit(1);
    }
    return s;
}

static void parse_flags(struct flags *f, int argc, char **argv)
{
    enum { REFUSED = 256, EMULATE, EMULATE_TIME };
    /* clang-format off */
    static const struct option longs[] = {
        { "authinfo", required_argument, NULL, REFUSED },    { "ca-cert-file", required_argument, NULL, REFUSED },
        { "conf", required_argument, NULL, REFUSED },        { "conf-server", required_argument, NULL, REFUSED },
        { "extra", required_argument, NULL, REFUSED },       { "instance-id", required_argument, NULL, REFUSED },
        { "instance-type", required_argument, NULL, REFUSED }, { "parameters", required_argument, NULL, REFUSED },
        { "systemd", no_argument, NULL, 'D' },               { "version", no_argument, NULL, 'V' },
        { "help", no_argument, NULL, 'h' },                  { "emulate", required_argument, NULL, EMULATE },
        { "emulate-time", required_argument, NULL, EMULATE_TIME }, { 0 },
    };
    /* clang-format on */
    int c, at = 0;
    while ((c = getopt_long(argc, argv, "bcCd:Df:F::GhL:Mn:N:svVZ", longs, &at)) != -1) {
        char name[3] = { '-', (char)c, '\0' };
        switch (c) {
        case 'c': f->clean = true; break;
        case 'C': print_config();
        case 'd': f->stepd = optarg; break;
        case 'D': f->foreground = true; break;
        case 'f': f->conf = optarg; break;
        case 'h': usage(0);
        case 'L': f->log = optarg; break;
        case 'N': f->node = optarg; break;
        case 'v': f->verbose++; break;
        case 'V': version();
        case EMULATE: f->emulate = optarg; break;
        case EMULATE_TIME: f->emulate_s = parse_seconds(optarg); break;
        case REFUSED: refuse_long(longs[at].name);
        case '?': usage(1);
        default: refuse(name);
        }
    }
    if (optind < argc)
        usage(1);
}

/* ---- this node ---- */

static bool is_here(const struct site_node *n, const char *host)
{
    const char *name = str_or(n->hostname, n->name);
    size_t len = strcspn(host, ".");
    return str_eq(name, host) || (strlen(name) == len && !strncmp(name, host, len));
}

static int find_node(struct agent *a, const char *name, struct err *err)
{
    char host[256] = "localhost";
    gethostname(host, sizeof(host) - 1);
    if (name)
        a->def = site_node(a->site, name);
    for (size_t i = 0; !name && !a->def && i < a->site->nnodes; i++)
        if (is_here(&a->site->node[i], host))
            a->def = &a->site->node[i];
    if (!a->def)
        return err_set(err, ENOENT, "Unable to determine this node's NodeName: no node %s in the configuration",
                       name ? name : host);
    a->name = a->def->name;
    return 0;
}

static bool usable(const char *path)
{
    return path && !access(path, X_OK);
}

/* In the build tree beside this program, or where it is installed. */
static int find_stepd(struct agent *a, const char *said, struct err *err)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[MAX(n, 0)] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    static const char *const places[] = { "%s/spurstepd", "%s/../step/spurstepd", "%s/../libexec/spur/spurstepd" };
    if (said)
        a->stepd = realpath(said, NULL);
    for (size_t i = 0; !said && !a->stepd && i < ARRAY_LEN(places); i++) {
        auto_buf struct buf path = BUF_INIT;
        const char *rest = places[i] + 2;
        buf_addf(&path, "%s%s", self, rest);
        if (usable(path.s))
            a->stepd = realpath(path.s, NULL);
    }
    if (!said && !a->stepd)
        a->stepd = mem_str(SPUR_LIBEXECDIR "/spurstepd");
    return usable(a->stepd) ? 0 : err_set(err, ENOENT, "cannot find the supervisor %s", said ? said : "spurstepd");
}

static void find_boot(struct agent *a)
{
    auto_buf struct buf id = BUF_INIT;
    if (!buf_read_file(&id, "/proc/sys/kernel/random/boot_id", 4096))
        snprintf(a->boot_id, sizeof(a->boot_id), "%s", str_trim(id.s));
    struct sysinfo si;
    a->start_s = time(NULL);
    a->boot_s = sysinfo(&si) ? a->start_s : a->start_s - si.uptime;
}

/* ---- starting ---- */

static void say_unused(void *arg, const char *key, const char *file, uint32_t line)
{
    (void)arg;
    log_verbose("key has no effect key=%s file=%s line=%u", key, file, line);
}

static int load_site(struct agent *a, const struct flags *f, struct err *err)
{
    const char *path = f->conf ? f->conf : site_find_conf();
    int rc = site_load(&a->site, path, err);
    if (rc)
        return rc;
    if (log_get_level() == LOG_INFO)   /* -v was not given */
        log_set_level(log_level_word(a->site->node_log_level));
    char *full = path ? realpath(path, NULL) : NULL;
    a->conf = full ? full : mem_str(path);
    conf_unused(a->site, say_unused, NULL);
    return f->emulate ? 0 : find_node(a, f->node, err);
}

/* -c: remove the steps of earlier agents from the spool. */
static bool forget_one(void *arg, int jobdir, struct step_key key)
{
    (void)jobdir;
    spool_remove(*(int *)arg, key);
    return true;
}

static int open_spool(struct agent *a, const struct flags *f, struct err *err)
{
    a->spool_path = site_node_path(a->site, a->site->node_spool_dir, a->def);
    int rc = spool_open(&a->spool, a->spool_path, err);
    if (!rc)
        rc = spool_lock(&a->spool_lock, a->spool, err);
    if (!rc && f->clean)
        rc = spool_each(a->spool, forget_one, &a->spool, err);
    if (!rc)
        rc = pool_open(a, err);
    return rc ? rc : launched_log_open(&a->launched, a->spool, clock_cluster_ms(), err);
}

static int set_log(const struct agent *a, const struct flags *f, struct err *err)
{
    auto_free char *path = f->log                              ? mem_str(f->log)
                           : a->site->node_log_file && a->def ? site_node_path(a->site, a->site->node_log_file, a->def)
                                                    : NULL;
    return path ? log_file(path, f->foreground, err) : 0;
}

static void write_pid_file(const struct agent *a)
{
    if (str_empty(a->site->node_pid_file))
        return;
    auto_free char *path = site_node_path(a->site, a->site->node_pid_file, a->def);
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0 || dprintf(fd, "%d\n", getpid()) < 0)
        log_verbose("cannot write the pid file path=%s: %m", path);
}

/* ---- stopping ---- */

static void stop(void *arg, int signo)
{
    struct agent *a = arg;
    log_info("stopping signal=%d; running steps go on", signo);
    a->stopping = true;
    register_stop(a);
    if (a->local)
        link_listener_close(take(a->local));
    listen_stop(a);
    uv_stop(a->loop);
}

static void watch_signals(struct agent *a, char **argv)
{
    static struct signals signals;
    signals = (struct signals){ .argv = argv, .conf = a->conf, .stop = stop, .arg = a };
    signals_watch(a->loop, &signals);
    signal(SIGCHLD, SIG_IGN); /* the agent watches supervisors by their sockets; the kernel reaps them */
}

/* The keys of this machine, or the cluster's one key. */
static int open_keys(struct agent *a, struct err *err)
{
    const struct site *site = a->site;
    if (!site_uses_tls(site))
        return cred_key_ensure(&a->key, site->key_file, site_owner(site), err);
    auto_free char *role = mem_printf("agent/%s", a->name ? a->name : "*");
    struct keys_conf conf = { site->key_dir, site->cluster, role, site_founds(site), site_owner(site) };
    return keys_open(&a->key, &conf, err);
}

static int prepare(struct agent *a, const struct flags *f, struct err *err)
{
    int rc = load_site(a, f, err);
    if (!rc)
        rc = set_log(a, f, err);
    if (!rc && !f->emulate)
        rc = find_stepd(a, f->stepd, err);
    if (!rc)
        rc = open_keys(a, err);
    if (!rc && !f->emulate)
        rc = open_spool(a, f, err);
    if (!rc && !f->emulate)
        rc = isolate_start(a, err);
    find_boot(a);
    return rc;
}

/* Lookups of accounts or hosts have finished: retry the launch orders and requests that wait for them. */
static void on_accounts(void *arg, uint64_t ended)
{
    (void)ended;
    hook_follow_waiting(arg);
    listen_unpark();
}

static int serve(struct agent *a, char **argv, struct err *err)
{
    watch_signals(a, argv);
    groups_start(a);
    a->accounts = account_cache_new(a->loop, on_accounts, a);
    tree_add(tree_new(a->loop, a->site, &a->key), a);
    int rc = local_start(a, err);
    if (!rc)
        rc = listen_start(a, err);
    if (!rc)
        rc = adopt_all(a, err);
    if (rc)
        return rc;
    isolate_sweep(a);
    if (geteuid() != 0)
        log_info("not root: only jobs of user %u run here", geteuid());
    write_pid_file(a);
    log_info("spurd %s started node=%s pid=%d", SPUR_VERSION, a->name, getpid());
    register_start(a);
    return uv_run(a->loop, UV_RUN_DEFAULT) < 0 ? EIO : 0;
}

int main(int argc, char **argv)
{
    static struct agent agent = { .spool = -1, .spool_lock = -1, .stepd_spawner = -1 };
    struct flags f = { 0 };
    struct err err = ERR_INIT;
    program_name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    bool restarted = signals_init();
    parse_flags(&f, argc, argv);
    log_open("spurd", (enum log_level)MIN(LOG_INFO + f.verbose, LOG_DEBUG));
    int rc = prepare(&agent, &f, &err);
    if (!rc && !f.foreground && (restarted ? chdir("/") : daemon(0, 0)))
        rc = err_set(&err, errno, "cannot go to the background: %m");
    agent.loop = uv_default_loop();
    if (!rc)
        rc = f.emulate ? emulate_serve(&agent, f.emulate, f.emulate_s, argv, &err) : serve(&agent, argv, &err);
    if (rc) {
        log_error("%s", err.text[0] ? err.text : err_text(rc));
        return 1;
    }
    isolate_stop(&agent);
    return 0;
}
