/* isolate - cgroups and private folders of this node; see isolate.h. */
#include "node/isolate.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/hw.h"
#include "step/cgroup.h"
#include "step/tmpfs.h"
#include "text/gres_conf.h"

struct isolate {
    struct cgroups cgroups;
    char *cgroup_text;
    struct container_conf folders;
    char *base, *tmpfs_text; /* NULL: no private folders */
};

static void isolate_log(void *arg, const char *sentence)
{
    (void)arg;
    log_info("%s", sentence);
}

static void say_unused(void *arg, const char *key, const char *file, uint32_t line)
{
    (void)arg;
    log_verbose("key has no effect key=%s file=%s line=%u", key, file, line);
}

/* The folder of slurm.conf; NULL: there is no file. */
static char *conf_dir(const struct agent *a)
{
    const char *slash = a->conf ? strrchr(a->conf, '/') : NULL;
    return slash ? mem_strn(a->conf, (size_t)(slash - a->conf)) : NULL;
}

/* Agents of several clusters on one machine may have nodes of the same name: a hash of the spool path tells them
 * apart. */
static char *folder_name(const struct agent *a)
{
    uint32_t hash = 2166136261u;
    for (const char *c = a->spool_path; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    return mem_printf("%s.%08x", a->name, hash);
}

/* ---- cgroups ---- */

static int find_cgroups(struct agent *a, const char *dir, struct err *err)
{
    auto_cgroup_conf struct cgroup_conf conf = { 0 };
    auto_gres_conf struct gres_conf gres = { 0 };
    auto_free char *name = folder_name(a);
    struct cgroup_wish wish = { .conf = &conf, .gres = &gres, .name = name, .say = isolate_log };
    int rc = cgroup_conf_load(&conf, dir, err);
    if (!rc)
        rc = gres_conf_load(&gres, dir, a->name, err);
    if (rc)
        return rc;
    cgroup_conf_unused(&conf, say_unused, NULL);
    wish.track = str_ieq(a->site->proctrack_type, "proctrack/cgroup");
    wish.limit = a->site->task_plugin && str_in_list(a->site->task_plugin, "task/cgroup");
    const char *param = site_value(a->site, "TaskPluginParam");
    wish.oom_kill_step = param && site_param(param, "OOMKillStep");
    wish.node_mem_mb = a->def->mem_mb ? a->def->mem_mb : hw_find()->mem_mb;
    rc = cgroups_find(&a->isolate->cgroups, &wish, err);
    a->isolate->cgroup_text = cgroups_text(&a->isolate->cgroups);
    return rc;
}

static void sweep_one(void *arg, struct step_key key)
{
    const struct agent *a = arg;
    const struct step_run *r = run_find(a, key);
    if (r && !r->report)
        return;
    log_info("ending the processes that a lost step left in its cgroup step=%s attempt=%u", run_text(key), key.attempt);
    cgroups_end_step(&a->isolate->cgroups, key);
}

void isolate_sweep(struct agent *a)
{
    if (a->isolate)
        cgroups_each_step(&a->isolate->cgroups, sweep_one, a);
}

void isolate_stop(struct agent *a)
{
    if (a->jobs.n)
        return; /* a supervisor may be about to create its folder */
    for (size_t i = 0; a->isolate && i < a->isolate->cgroups.tree.n; i++)
        rmdir(a->isolate->cgroups.tree.at[i].dir); /* fails for a folder that holds a running step */
    if (isolate_has_tmpfs(a))
        tmpfs_close_base(a->isolate->base);
}

void isolate_end_step(const struct agent *a, struct step_key key)
{
    if (a->isolate)
        cgroups_end_step(&a->isolate->cgroups, key);
}

/* ---- private folders ---- */

static int find_folders(struct agent *a, const char *dir, struct err *err)
{
    struct isolate *i = a->isolate;
    const char *type = site_value(a->site, "NamespaceType");
    if (!str_ieq(type, "namespace/tmpfs") && !str_ieq(type, "job_container/tmpfs"))
        return 0;
    int rc = container_conf_load(&i->folders, dir, a->name, err);
    if (rc || str_empty(i->folders.base) || str_ieq(i->folders.base, "none"))
        return rc;
    if (geteuid() != 0) {
        log_info("not enforced: private folders (NamespaceType=%s): spurd is not root", type);
        return 0;
    }
    i->base = site_node_path(a->site, i->folders.base, a->def);
    rc = tmpfs_open_base(i->base, i->folders.auto_base, err);
    i->tmpfs_text = rc ? NULL : tmpfs_text(&i->folders, i->base);
    return rc;
}

bool isolate_has_tmpfs(const struct agent *a)
{
    return a->isolate && a->isolate->tmpfs_text;
}

/* Deleting may take long, so a separate process does it. */
void isolate_job_over(const struct agent *a, uint32_t job_id, uint32_t attempt)
{
    if (!isolate_has_tmpfs(a) || !tmpfs_is_there(a->isolate->base, job_id, attempt))
        return;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGCHLD, SIG_DFL);
        int rc = tmpfs_remove(&a->isolate->folders, a->isolate->base, job_id, attempt);
        if (rc)
            log_error("the private folders of a job are not removed completely job=%u: %s", job_id, strerror(rc));
        _exit(0);
    }
    if (pid < 0)
        log_error("cannot remove the private folders of a job job=%u: %m", job_id);
}

/* ---- the whole ---- */

int isolate_start(struct agent *a, struct err *err)
{
    auto_free char *dir = conf_dir(a);
    a->isolate = NEW(struct isolate);
    int rc = find_cgroups(a, dir, err);
    return rc ? rc : find_folders(a, dir, err);
}

const char *isolate_cgroup_text(const struct agent *a)
{
    return a->isolate ? a->isolate->cgroup_text : "";
}

const char *isolate_tmpfs_text(const struct agent *a)
{
    return a->isolate && a->isolate->tmpfs_text ? a->isolate->tmpfs_text : "";
}

bool isolate_own_devices(const struct agent *a)
{
    return a->isolate && a->isolate->cgroups.rules.devices && a->isolate->cgroups.device.n;
}
