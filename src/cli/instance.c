/* instance - a cluster in a folder: finding it, reading it; see instance.h. */
#include "cli/instance.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/buf.h"
#include "base/str.h"
#include "io/keys.h"
#include "text/hostlist.h"

#define AGENTS_MAX ((size_t)4 << 20)
#define DYING_MS 10000
#define EMULATE "emulate "

char *instance_path(const struct instance *in, const char *fmt, ...)
{
    auto_buf struct buf path = BUF_INIT;
    buf_addf(&path, "%s/", in->dir);
    va_list ap;
    va_start(ap, fmt);
    buf_addv(&path, fmt, ap);
    va_end(ap);
    return buf_take(&path);
}

int instance_mkdir(const char *path, unsigned mode, struct err *err)
{
    auto_free char *part = mem_str(path);
    for (char *p = part + 1;; p++) {
        if (*p && *p != '/')
            continue;
        char rest = *p;
        *p = '\0';
        if (mkdir(part, rest ? 0755 : mode) && errno != EEXIST)
            return err_set(err, errno, "cannot make the folder %s: %m", part);
        if (!rest)
            return 0;
        *p = rest;
    }
}

int instance_write(const char *path, const char *text, size_t len, unsigned mode, struct err *err)
{
    auto_free char *draft = mem_printf("%s.new", path);
    auto_close int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len || fchmod(fd, mode) || rename(draft, path))
        return err_set(err, errno ? errno : EIO, "cannot write %s: %m", path);
    return 0;
}

/* ---- the folder ---- */

static char *default_dir(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (geteuid() == 0)
        return mem_str("/var/lib/spur");
    if (!str_empty(state))
        return mem_printf("%s/spur", state);
    return str_empty(home) ? NULL : mem_printf("%s/.local/state/spur", home);
}

static char *absolute_path(const char *dir)
{
    char cwd[PATH_MAX];
    char *path = dir[0] == '/' || !getcwd(cwd, sizeof(cwd)) ? mem_str(dir) : mem_printf("%s/%s", cwd, dir);
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = '\0';
    char *real = realpath(path, NULL);
    if (!real)
        return path;
    free(path);
    return real;
}

int instance_find(struct instance *in, const char *dir, bool must_exist, struct err *err)
{
    auto_free char *here = dir ? mem_str(dir) : default_dir();
    if (str_empty(here))
        return err_set(err, EINVAL, "neither $XDG_STATE_HOME nor $HOME is set: say --dir DIR");
    in->dir = absolute_path(here);
    in->conf = instance_path(in, "etc/slurm.conf");
    if (strpbrk(in->dir, " \t\n\"#\\'%"))
        return err_set(err, EINVAL, "%s: the folder's name must do without blanks, quotes, '#', '%%' and '\\'",
                       in->dir);
    if (must_exist && access(in->conf, F_OK))
        return err_set(err, ENOENT, "there is no cluster in %s; `spur up` makes one", in->dir);
    return 0;
}

void instance_clear(struct instance *in)
{
    for (size_t i = 0; i < in->daemons.n; i++) {
        free(in->daemons.at[i].name);
        free(in->daemons.at[i].node);
    }
    vec_clear(&in->daemons);
    site_free(in->site);
    free(in->dir);
    free(in->conf);
    mem_cleanup_close(&in->lock);
    *in = (struct instance)INSTANCE_INIT;
}

int instance_lock(struct instance *in, struct err *err)
{
    auto_free char *path = instance_path(in, "run/lock");
    in->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (in->lock < 0 || flock(in->lock, LOCK_EX))
        return err_set(err, errno, "cannot lock %s: %m", path);
    return 0;
}

/* ---- what belongs to it ---- */

static void read_pid(const struct instance *in, struct daemon *d)
{
    auto_free char *path = instance_path(in, "run/%s.pid", d->name);
    auto_buf struct buf text = BUF_INIT;
    int pid;
    unsigned long long start;
    if (buf_read_file(&text, path, 256) || !text.s || sscanf(text.s, "%d %llu", &pid, &start) != 2)
        return;
    struct proc p = { .pid = pid, .start = start };
    for (int ms = 0; ms < DYING_MS && proc_same(&p) && proc_dying(pid); ms += 5)
        poll(NULL, 0, 5);
    if (proc_same(&p))
        d->proc = p;
}

static void add_daemon(struct instance *in, struct daemon d)
{
    d.name = d.ctl_id     ? mem_printf("ctl%u", d.ctl_id)
             : d.emulated ? mem_str("emulate")
                          : mem_printf("node-%s", d.node);
    read_pid(in, &d);
    vec_push(&in->daemons, d);
}

static int add_agent(struct instance *in, const char *line, struct err *err)
{
    struct daemon d = { .nodes = 1, .emulated = str_has_prefix(line, EMULATE) };
    size_t n = 1;
    d.node = mem_str(d.emulated ? line + strlen(EMULATE) : line);
    int rc = d.emulated ? hostlist_count(d.node, &n, err) : 0;
    d.nodes = (uint32_t)n;
    add_daemon(in, d);
    return rc;
}

/* Names of Unix sockets are short: better said now than by a daemon that dies of it. */
static int check_sockets(const struct instance *in, struct err *err)
{
    const size_t room = sizeof(((struct sockaddr_un *)NULL)->sun_path);
    for (size_t i = 0; i < in->daemons.n; i++) {
        const struct daemon *d = &in->daemons.at[i];
        if (d->emulated)
            continue;
        auto_free char *path = instance_path(in, d->node ? "run/spurd-%s.sock" : "run/%s.sock",
                                             d->node ? d->node : d->name);
        if (strlen(path) >= room)
            return err_set(err, ENAMETOOLONG,
                           "%s is too long for the name of a socket (%zu bytes are allowed): take a shorter --dir",
                           path, room - 1);
    }
    return 0;
}

int instance_load(struct instance *in, struct err *err)
{
    int rc = site_load(&in->site, in->conf, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < in->site->nctl; i++)
        add_daemon(in, (struct daemon){ .ctl_id = in->site->ctl[i].id });
    auto_free char *path = instance_path(in, "etc/agents");
    auto_buf struct buf text = BUF_INIT;
    rc = buf_read_file(&text, path, AGENTS_MAX);
    if (rc)
        return err_set(err, rc, "cannot read %s: %s", path, err_text(rc));
    for (const char *pos = text.s ? text.s : "";;) {
        auto_free char *name = str_next(&pos, "\n");
        if (!name)
            break;
        rc = add_agent(in, name, err);
        if (rc)
            return rc;
    }
    return check_sockets(in, err);
}

size_t instance_nodes(const struct instance *in)
{
    size_t n = 0;
    for (size_t i = 0; i < in->daemons.n; i++)
        n += in->daemons.at[i].nodes;
    return n;
}

size_t instance_running(const struct instance *in)
{
    size_t n = 0;
    for (size_t i = 0; i < in->daemons.n; i++)
        n += in->daemons.at[i].proc.pid != 0;
    return n;
}

/* ---- making it ---- */

static int make_folders(const struct instance *in, struct err *err)
{
    static const struct {
        const char *name;
        unsigned mode;
    } folders[] = {
        { "etc", 0755 }, { "run", 0755 }, { "spool", 0755 }, { "bin", 0755 }, { "log", 0755 }, { "state", 0700 },
    };
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        auto_free char *path = instance_path(in, "%s", folders[i].name);
        int rc = instance_mkdir(path, folders[i].mode, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* Before anything is made: the shortest name that a socket will have. */
static int check_dir(const struct instance *in, struct err *err)
{
    const size_t room = sizeof(((struct sockaddr_un *)NULL)->sun_path);
    if (strlen(in->dir) + sizeof("/run/ctl1.sock") > room)
        return err_set(
            err, ENAMETOOLONG,
            "%s is too long: the names of the sockets in it would have more than %zu bytes; take a shorter --dir",
            in->dir, room - 1);
    return 0;
}

/* One machine: its key is every controller's and every agent's. */
static int make_keys(const struct instance *in, struct err *err)
{
    struct cred_key key;
    if (!site_uses_tls(in->site))
        return cred_key_ensure(&key, in->site->key_file, 0, err);
    struct keys_conf conf = { .dir = in->site->key_dir, .cluster = in->site->cluster, .found = true,
                              .roles = "controller/* agent/*" };
    int rc = keys_open(&key, &conf, err);
    keys_close(&key);
    return rc;
}

int instance_make(struct instance *in, const struct instance_request *request, struct err *err)
{
    int rc = check_dir(in, err);
    if (!rc)
        rc = make_folders(in, err);
    if (!rc)
        rc = instance_lock(in, err);
    bool there = !access(in->conf, F_OK);
    if (!rc && there)
        rc = instance_load(in, err);
    if (rc || (there && instance_running(in)) ||
        (there && !request->conf && !request->nodes && !request->controllers && !request->emulate))
        return rc ? rc : make_keys(in, err);
    rc = instance_write_conf(in, request, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < in->daemons.n; i++) {
        free(in->daemons.at[i].name);
        free(in->daemons.at[i].node);
    }
    in->daemons.n = 0;
    site_free(take(in->site));
    rc = instance_load(in, err);
    return rc ? rc : make_keys(in, err);
}
