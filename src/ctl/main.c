/* main - spurctld's command line; also installed as slurmctld. */
#include <fcntl.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "ctl/access.h"
#include "ctl/daemon.h"
#include "ctl/reload.h"

static const char usage[] = "Usage: spurctld [OPTIONS]\n"
                            "  -D             run in the foreground\n"
                            "  -f FILE        read the configuration from FILE\n"
                            "  -L FILE        log to FILE\n"
                            "  -c             forget all jobs: start with an empty state\n"
                            "  -s             change to the log file's folder first\n"
                            "  -t             test the configuration, then exit\n"
                            "  -v             say more; twice: debug\n"
                            "  -V             print the version, then exit\n"
                            "  -h             print this, then exit\n"
                            "  --id N         which of the configured controllers this is (default: by host name)\n"
                            "  --permissions  print which peers may do what, then exit\n";

struct args {
    const char *conf, *log;
    bool foreground, clear, chdir, test;
    int verbose;
    uint64_t id;
};

static int spurctld_version(const char *argv0)
{
    const char *base = strrchr(argv0, '/');
    base = base ? base + 1 : argv0;
    puts(str_has_prefix(base, "slurm") ? "slurm 26.05.5" : "spurctld " SPUR_VERSION);
    return 0;
}

/* A line for each right: its name, its message, its kind of record, the relations that have it, what it is. */
static int spurctld_permissions(void)
{
    for (enum right r = 0; r < RIGHTS; r++) {
        const struct access_row *row = &access_rows[r];
        printf("%s %s %s ", row->name, msg_name(row->type), row->of_job ? "job" : "-");
        const char *comma = "";
        for (enum relation k = 0; k < RELATIONS; k++)
            if (row->may & MAY(k)) {
                printf("%s%s", comma, access_relation_names[k]);
                comma = ",";
            }
        printf(" %s\n", row->text);
    }
    return 0;
}

/* -1: go on; else the exit code. */
static int spurctld_parse(int argc, char **argv, struct args *a)
{
    static const struct option longs[] = { { "id", required_argument, NULL, 'I' },
                                           { "help", no_argument, NULL, 'h' },
                                           { "permissions", no_argument, NULL, 'P' },
                                           { "version", no_argument, NULL, 'V' },
                                           { 0 } };
    for (int c; (c = getopt_long(argc, argv, "Df:L:cistvVh", longs, NULL)) != -1;) {
        switch (c) {
        case 'D': a->foreground = true; break;
        case 'f': a->conf = optarg; break;
        case 'L': a->log = optarg; break;
        case 'c': a->clear = true; break;
        case 's': a->chdir = true; break;
        case 't': a->test = true; break;
        case 'v': a->verbose++; break;
        case 'V': return spurctld_version(argv[0]);
        case 'h': fputs(usage, stdout); return 0;
        case 'P': return spurctld_permissions();
        case 'i':
            fputs("spurctld: -i is refused: Spur does not go on without state that it cannot read; see its error for "
                  "what to do\n",
                  stderr);
            return 1;
        case 'I':
            if (!str_u64(optarg, 1, UINT32_MAX, &a->id)) {
                fprintf(stderr, "spurctld: --id %s is not a number\n", optarg);
                return 1;
            }
            break;
        default: fputs("Try 'spurctld -h' for more information\n", stderr); return 1;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "spurctld: unexpected argument %s\n", argv[optind]);
        return 1;
    }
    return -1;
}

static int find_id(const struct site *site, uint64_t *id, struct err *err)
{
    char host[256];
    gethostname(host, sizeof(host));
    host[strcspn(host, ".")] = '\0';
    for (size_t i = 0; i < site->nctl; i++)
        if (*id ? site->ctl[i].id == *id : site->nctl == 1 || str_eq(site->ctl[i].name, host)) {
            *id = site->ctl[i].id;
            return 0;
        }
    if (*id)
        return err_set(err, EINVAL, "the configuration has no controller %llu", (unsigned long long)*id);
    return err_set(err, EINVAL, "this host (%s) is not among the configured controllers; say which one with --id",
                   host);
}

/* -c: the old state is put aside, not destroyed. */
static int put_aside(const struct site *site, uint64_t id, struct err *err)
{
    auto_free char *dir = mem_printf("%s/ctl%llu", site->state_dir, (unsigned long long)id);
    auto_free char *to = mem_printf("%s.cleared-%ld", dir, (long)time(NULL));
    if (rename(dir, to) && errno != ENOENT)
        return err_set(err, errno, "cannot put %s aside: %m", dir);
    return 0;
}

static void spurctld_detach(void)
{
    if (fork() > 0)
        _exit(0);
    setsid();
    if (fork() > 0)
        _exit(0);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
}

static void write_pid(const char *path)
{
    if (str_empty(path))
        return;
    FILE *f = fopen(path, "we");
    if (f) {
        fprintf(f, "%d\n", (int)getpid());
        fclose(f);
    }
}

/* argv for starting again: in the foreground, and never clearing twice. */
static char **again_argv(int argc, char **argv)
{
    char **out = mem_array((size_t)argc + 2, sizeof(*out));
    size_t n = 0;
    for (int i = 0; i < argc; i++)
        if (!str_eq(argv[i], "-c"))
            out[n++] = mem_str(argv[i]);
    out[n++] = mem_str("-D");
    return out;
}

int main(int argc, char **argv)
{
    struct args a = { 0 };
    char **again = again_argv(argc, argv);
    int rc = spurctld_parse(argc, argv, &a);
    if (rc >= 0)
        return rc;
    log_open("spurctld", a.verbose > 1 ? LOG_DEBUG : a.verbose ? LOG_VERBOSE : LOG_INFO);
    struct err err = ERR_INIT;
    struct site *site;
    const char *path = a.conf ? a.conf : site_find_conf();
    rc = reload_files(&site, path, &err);
    if (!rc && !a.test) /* which may be done anywhere */
        rc = find_id(site, &a.id, &err);
    if (!rc && !str_empty(site->slurm_user) && !getpwnam(site->slurm_user))
        rc = err_set(&err, EINVAL, "Invalid user for SlurmUser %s: there is no such user", site->slurm_user);
    if (!rc && a.clear && !a.test)
        rc = put_aside(site, a.id, &err);
    if (rc) {
        log_line(LOG_FATAL, "%s", err.text);
        return 1;
    }
    if (a.test) {
        reload_warnings(site);
        puts("the configuration is good");
        return 0;
    }
    if (!a.verbose)
        log_set_level(log_level_word(site->ctl_log_level));
    const char *log = a.log ? a.log : site->ctl_log_file;
    if (!str_empty(log) && (rc = log_file(log, a.foreground && isatty(2), &err))) {
        log_line(LOG_FATAL, "%s", err.text);
        return 1;
    }
    if (a.chdir && !str_empty(log)) {
        auto_free char *dir = mem_str(log);
        char *slash = strrchr(dir, '/');
        if (slash && slash != dir)
            *slash = '\0';
        (void)!chdir(dir);
    }
    if (!a.foreground)
        spurctld_detach();
    write_pid(site->ctl_pid_file);
    return daemon_run(&(struct daemon_conf){ path ? mem_str(path) : NULL, a.id, again }, site);
}
