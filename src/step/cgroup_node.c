/* cgroup_node - the agent's part of cgroups: find trees, create folders, kill what dead supervisors left. */
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/str.h"
#include "step/cgroup_priv.h"

#define ROOT "spur" /* Spur's folder in each tree */

static const struct {
    const char *controller; /* the kernel's name */
    const char *enforces;   /* for messages */
} names[CGROUP_WHATS] = {
    [CGROUP_TRACK] = { "freezer",
                       "the end of what a step leaves behind when its supervisor is killed (ProctrackType)" },
    [CGROUP_MEMORY] = { "memory", "memory limits (ConstrainRAMSpace, ConstrainSwapSpace)" },
    [CGROUP_CPUSET] = { "cpuset", "which cores a job uses (ConstrainCores)" },
    [CGROUP_DEVICES] = { "devices", "which devices a job opens (ConstrainDevices)" },
    [CGROUP_PIDS] = { "pids", "how many processes a job has (SpurMaxProcesses)" },
    [CGROUP_CPU] = { "cpu", "how much CPU time a job takes (SpurCpuQuota)" },
};

void cgroups_clear(struct cgroups *c)
{
    for (size_t i = 0; i < c->tree.n; i++)
        free(c->tree.at[i].dir);
    for (size_t i = 0; i < c->device.n; i++) {
        free(c->device.at[i].name);
        free(c->device.at[i].type);
    }
    vec_clear(&c->tree);
    vec_clear(&c->device);
}

/* ---- wanted controllers ---- */

static unsigned wanted(const struct cgroup_wish *w)
{
    const struct cgroup_conf *f = w->conf;
    unsigned want = w->track ? 1u << CGROUP_TRACK : 0;
    if (!w->limit)
        return want;
    want |= 1u << CGROUP_TRACK;
    want |= f->ram || f->swap ? 1u << CGROUP_MEMORY : 0;
    want |= f->cores ? 1u << CGROUP_CPUSET : 0;
    want |= f->devices && w->gres->device.n ? 1u << CGROUP_DEVICES : 0;
    want |= f->max_processes ? 1u << CGROUP_PIDS : 0;
    want |= f->cpu_quota ? 1u << CGROUP_CPU : 0;
    return want;
}

static __attribute__((format(printf, 3, 4))) void say_not(const struct cgroup_wish *w, enum cgroup_what what,
                                                          const char *why, ...)
{
    auto_buf struct buf text = BUF_INIT;
    buf_addf(&text, "not enforced: %s: ", names[what].enforces);
    va_list ap;
    va_start(ap, why);
    buf_addv(&text, why, ap);
    va_end(ap);
    w->say(w->arg, text.s);
}

/* ---- v2 ---- */

static bool is_v2(const char *path)
{
    struct statfs fs;
    return !statfs(path, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* Where this process is in the v2 tree: "/system.slice/spurd.service". */
static bool own_place(char *out, size_t room)
{
    auto_buf struct buf text = BUF_INIT;
    if (buf_read_file(&text, "/proc/self/cgroup", 1 << 16) || !text.s)
        return false;
    const char *line = str_has_prefix(text.s, "0::") ? text.s : strstr(text.s, "\n0::");
    if (!line)
        return false;
    line += *line == '\n' ? 4 : 3;
    snprintf(out, room, "%.*s", (int)strcspn(line, "\n"), line);
    return true;
}

/* Controllers are enabled level by level; a level that holds processes cannot enable any for its children. */
static void hand_down(const char *dir, unsigned want)
{
    for (enum cgroup_what k = 0; k < CGROUP_WHATS; k++)
        if (want & 1u << k && k != CGROUP_TRACK && k != CGROUP_DEVICES)
            cgroup_writef(dir, "cgroup.subtree_control", "+%s", names[k].controller);
}

static bool controller_in(const char *dir, const char *name)
{
    char text[1024];
    if (!cgroup_read(dir, "cgroup.controllers", text, sizeof(text)))
        return false;
    for (char *p = text, *save = NULL; (p = strtok_r(p, " \n", &save)); p = NULL)
        if (str_eq(p, name))
            return true;
    return false;
}

/* Create the node's folder below `top`.  In a delegated subtree this process itself prevents that controllers are
 * enabled, so it moves into a folder of its own. */
static char *make_v2(const char *top, bool delegated, const char *name, unsigned want)
{
    auto_free char *self = mem_printf("%s/" ROOT "d-%s", top, name), *root = mem_printf("%s/" ROOT, top);
    char *dir = mem_printf("%s/%s", root, name);
    if (delegated && !mkdir(self, 0755) && cgroup_writef(self, "cgroup.procs", "%d", getpid()))
        rmdir(self);
    hand_down(top, want);
    if (mkdir(root, 0755) && errno != EEXIST)
        free(take(dir));
    if (!dir)
        return NULL;
    hand_down(root, want);
    if (mkdir(dir, 0755) && errno != EEXIST)
        free(take(dir));
    else
        hand_down(dir, want);
    return dir;
}

/* Without root only a delegated subtree can be used: the process's own cgroup, if it is writable. */
static char *find_v2(const struct cgroup_wish *w, const char *mount, unsigned want)
{
    char place[CGROUP_PATH];
    if (geteuid() == 0)
        return make_v2(mount, false, w->name, want);
    if (!own_place(place, sizeof(place)))
        return NULL;
    auto_free char *top = mem_printf("%s%s", mount, place);
    return access(top, W_OK) ? NULL : make_v2(top, true, w->name, want);
}

static unsigned available_v2(const char *dir, unsigned want)
{
    unsigned have = want & (1u << CGROUP_TRACK);
    if (geteuid() == 0)
        have |= want & (1u << CGROUP_DEVICES); /* not a controller: the supervisor loads a BPF program */
    for (enum cgroup_what k = 0; k < CGROUP_WHATS; k++)
        if (want & 1u << k && k != CGROUP_TRACK && k != CGROUP_DEVICES && controller_in(dir, names[k].controller))
            have |= 1u << k;
    return have;
}

static void add_tree(struct cgroups *c, char *dir, bool v2, unsigned what)
{
    vec_push(&c->tree, ((struct cgroup_tree){ dir, v2, what }));
}

static void use_v2(struct cgroups *c, const struct cgroup_wish *w, unsigned want)
{
    char *dir = find_v2(w, w->conf->mount, want);
    unsigned have = dir ? available_v2(dir, want) : 0;
    if (dir)
        add_tree(c, dir, true, have);
    for (enum cgroup_what k = 0; k < CGROUP_WHATS; k++)
        if (want & ~have & 1u << k)
            say_not(w, k, dir ? "the controller %s is not to be had in %s" : "no cgroup may be made in %s%s",
                    dir ? names[k].controller : "", dir ? dir : w->conf->mount);
}

/* ---- v1 ---- */

static bool has_option(const char *options, const char *word)
{
    return str_in_list(options, word);
}

/* Where `controller` is mounted below the mount point; "": the v2 tree without controllers.  The caller frees it. */
static char *mount_of(const char *below, const char *controller)
{
    auto_file FILE *f = setmntent("/proc/self/mounts", "re");
    char *found = NULL;
    for (struct mntent *m; f && !found && (m = getmntent(f));) {
        bool type = str_eq(m->mnt_type, *controller ? "cgroup" : "cgroup2");
        if (type && str_has_prefix(m->mnt_dir, below) && (!*controller || has_option(m->mnt_opts, controller)))
            found = mem_str(m->mnt_dir);
    }
    return found;
}

static char *make_v1(const char *mount, const char *name, bool cpuset)
{
    auto_free char *root = mem_printf("%s/" ROOT, mount);
    char *dir = mem_printf("%s/%s", root, name);
    const char *levels[] = { root, dir }, *parent = mount;
    for (size_t i = 0; i < ARRAY_LEN(levels); parent = levels[i++]) {
        if (mkdir(levels[i], 0755) && errno != EEXIST) {
            free(dir);
            return NULL;
        }
        if (cpuset)
            cgroup_copy_cpuset(parent, levels[i]);
    }
    return dir;
}

static char *tree_v1(const struct cgroup_wish *w, enum cgroup_what what)
{
    auto_free char *mount = mount_of(w->conf->mount, names[what].controller);
    errno = mount ? 0 : ENODEV;
    return mount ? make_v1(mount, w->name, what == CGROUP_CPUSET) : NULL;
}

/* The tree for killing and freezing: the v2 tree, where it is mounted and the kernel is new enough; else the
 * freezer. */
static char *track_v1(const struct cgroup_wish *w, bool *v2)
{
    auto_free char *unified = mount_of(w->conf->mount, "");
    char *dir = unified ? make_v1(unified, w->name, false) : NULL;
    *v2 = dir && cgroup_has(dir, "cgroup.kill");
    if (*v2)
        return dir;
    if (dir)
        rmdir(dir);
    free(dir);
    return tree_v1(w, CGROUP_TRACK);
}

static void use_v1(struct cgroups *c, const struct cgroup_wish *w, unsigned want)
{
    for (enum cgroup_what k = 0; k < CGROUP_WHATS; k++) {
        bool v2 = false;
        char *dir = !(want & 1u << k) ? NULL : k == CGROUP_TRACK ? track_v1(w, &v2) : tree_v1(w, k);
        int rc = errno;
        if (dir)
            add_tree(c, dir, v2, 1u << k);
        else if (want & 1u << k && geteuid() != 0)
            say_not(w, k, "spurd is not root, and cgroup v1 is root's");
        else if (want & 1u << k)
            say_not(w, k, "no folder in the controller %s below %s: %s", names[k].controller, w->conf->mount,
                    rc == ENODEV ? "it is not mounted" : strerror(rc));
    }
}

/* ---- devices ---- */

static void add_devices(struct cgroups *c, const struct cgroup_wish *w)
{
    for (size_t i = 0; i < w->gres->device.n; i++) {
        const struct gres_device *g = &w->gres->device.at[i];
        struct cgroup_device d = { .name = mem_str(g->name), .type = mem_str(g->type) };
        struct stat st;
        if (!str_empty(g->file) && !stat(g->file, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))) {
            d.kind = S_ISCHR(st.st_mode) ? 'c' : 'b';
            d.major = major(st.st_rdev);
            d.minor = minor(st.st_rdev);
        } else if (!str_empty(g->file)) {
            say_not(w, CGROUP_DEVICES, "%s of gres.conf is not a device file here", g->file);
        }
        vec_push(&c->device, d);
    }
}

/* ---- all trees ---- */

static void set_rules(struct cgroups *c, const struct cgroup_wish *w)
{
    const struct cgroup_conf *f = w->conf;
    c->rules = (struct cgroup_rules){ f->ram,           f->swap,        f->cores,         f->devices,    f->cpu_quota,
                                      w->oom_kill_step, f->allowed_ram, f->allowed_swap,  f->max_ram,    f->max_swap,
                                      f->min_ram_mb,    f->swappiness,  f->max_processes, w->node_mem_mb };
}

/* Some kernels do not account swap, and have no file for its limit. */
static void check_swap(struct cgroups *c, const struct cgroup_wish *w)
{
    for (size_t i = 0; c->rules.swap && i < c->tree.n; i++) {
        const struct cgroup_tree *t = &c->tree.at[i];
        if (!(t->what & 1u << CGROUP_MEMORY) ||
            cgroup_has(t->dir, t->v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes"))
            continue;
        c->rules.swap = false;
        w->say(w->arg,
               "not enforced: limits of swap (ConstrainSwapSpace): this kernel does not count it (swapaccount=1)");
    }
}

int cgroups_find(struct cgroups *c, const struct cgroup_wish *w, struct err *err)
{
    const char *plugin = w->conf->plugin, *mount = w->conf->mount;
    unsigned want = wanted(w);
    *c = (struct cgroups){ 0 };
    if (!want || str_ieq(plugin, "disabled"))
        return 0;
    bool v2 = is_v2(mount);
    if (v2 ? str_ieq(plugin, "cgroup/v1") : str_ieq(plugin, "cgroup/v2"))
        return err_set(err, ENOTSUP, "CgroupPlugin=%s, but %s is %s", plugin, mount,
                       v2 ? "cgroup v2" : "not a cgroup v2 tree");
    set_rules(c, w);
    if (v2)
        use_v2(c, w, want);
    else
        use_v1(c, w, want);
    check_swap(c, w);
    if (want & 1u << CGROUP_DEVICES)
        add_devices(c, w);
    return 0;
}

/* ---- leftovers ---- */

void cgroups_end_step(const struct cgroups *c, struct step_key key)
{
    char job[CGROUP_PATH], step[CGROUP_PATH];
    for (size_t i = 0; i < c->tree.n; i++) {
        const struct cgroup_tree *t = &c->tree.at[i];
        cgroup_job_dir(job, t, key);
        cgroup_step_dir(step, t, key);
        if (t->what & 1u << CGROUP_TRACK)
            cgroup_kill_dir(step, t->v2);
        if (!cgroup_rmdir(step))
            rmdir(job);
    }
}

static void each_in_job(const char *path, struct step_key key, cgroup_each_fn *each, void *arg)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (str_has_prefix(e->d_name, "step_") && spool_step_parse(e->d_name + 5, strlen(e->d_name + 5), &key.step_id))
            each(arg, key);
    if (dir)
        closedir(dir);
}

void cgroups_each_step(const struct cgroups *c, cgroup_each_fn *each, void *arg)
{
    for (size_t i = 0; i < c->tree.n; i++) {
        const struct cgroup_tree *t = &c->tree.at[i];
        DIR *dir = opendir(t->dir);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            struct step_key key = { .step_id = PB__STEP_NUMBER__STEP_BATCH };
            char path[CGROUP_PATH];
            int end = 0;
            if (sscanf(e->d_name, "job_%u.%u%n", &key.job_id, &key.attempt, &end) != 2)
                continue;
            const char *step = str_has_prefix(e->d_name + end, ".step_") ? e->d_name + end + 6 : NULL;
            cgroup_job_dir(path, t, key);
            if (!step)
                each_in_job(path, key, each, arg);
            /* In a tree of v1 a batch script has no folder of its own. */
            if (step ? spool_step_parse(step, strlen(step), &key.step_id) : !t->v2)
                each(arg, key);
        }
        if (dir)
            closedir(dir);
    }
}
