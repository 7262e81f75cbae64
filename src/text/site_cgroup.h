/*
 * site_cgroup - the files beside slurm.conf that say how jobs are kept apart on a node: cgroup.conf (limits) and
 * job_container.conf (private folders such as /tmp).
 *
 * A file that is not there means its defaults.  Texts live until the _clear.  A key that is not known is an error with
 * its file and line; keys that are known and have no effect here are told by the _unused walks.
 */
#ifndef SPUR_TEXT_SITE_CGROUP_H
#define SPUR_TEXT_SITE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "text/conf.h"

struct cgroup_conf {
    struct conf conf; /* what the texts point into */
    char *plugin;     /* autodetect, cgroup/v1, cgroup/v2, disabled */
    char *mount;      /* CgroupMountpoint */
    bool cores, devices, ram, swap; /* Constrain... */
    bool cpu_quota;                 /* SpurCpuQuota: no more CPU time than the CPUs allocated */
    double allowed_ram, allowed_swap, max_ram, max_swap; /* percent */
    uint64_t min_ram_mb;
    uint64_t swappiness; /* UINT64_MAX: the kernel's */
    uint64_t max_processes; /* SpurMaxProcesses: of one job on a node; 0: no limit */
    char *percent_text[4]; /* as written, before they became the four above */
};

#define auto_cgroup_conf __attribute__((cleanup(cgroup_conf_clear)))

/* `dir`: the folder of slurm.conf; NULL: no file at all. */
int cgroup_conf_load(struct cgroup_conf *c, const char *dir, struct err *err);
int cgroup_conf_parse(struct cgroup_conf *c, const char *text, size_t len, struct err *err);
void cgroup_conf_clear(struct cgroup_conf *c);

/* How /tmp is made private on one node. */
struct container_conf {
    struct conf conf;
    char *base;     /* BasePath, %h and %n not yet put in; NULL or "none": this node has no private folders */
    char *dirs;     /* comma-separated; /tmp,/dev/shm when not said */
    bool auto_base; /* make `base` if need be */
    bool shared;    /* mounts made outside appear inside */
    char *init_script, *clone_script, *clone_epilog;
    uint64_t clone_script_wait_s, clone_epilog_wait_s;
    bool entire_step;
};

#define auto_container_conf __attribute__((cleanup(container_conf_clear)))

/* What job_container.conf says for `node`: a line that names it wins over one for all. */
int container_conf_load(struct container_conf *c, const char *dir, const char *node, struct err *err);
int container_conf_parse(struct container_conf *c, const char *text, size_t len, const char *node, struct err *err);
void container_conf_clear(struct container_conf *c);

/* Keys of the file that are known and not acted on. */
typedef void site_key_fn(void *arg, const char *key, const char *file, uint32_t line);
void cgroup_conf_unused(const struct cgroup_conf *c, site_key_fn *each, void *arg);

#endif
