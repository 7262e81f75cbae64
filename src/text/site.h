/*
 * site - the cluster as configured: slurm.conf with its defaults worked in, ready to use.
 *
 * Everything in a site belongs to the site and lives until site_free(); nothing changes after site_load().
 * Numbers are Slurm's: INFINITE and UNLIMITED are the largest of their type, memory in megabytes with 0 for "no limit",
 * hardware counts with 0 for "as the node reports".
 */
#ifndef SPUR_TEXT_SITE_H
#define SPUR_TEXT_SITE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "text/conf.h"
#include "text/conf_keys.h"

#define SITE_INFINITE UINT32_MAX /* minutes, nodes, CPUs: no limit */
#define SITE_NONE 0xfffffffeu    /* not configured, as Slurm's NO_VAL */
#define SITE_NONE16 0xfffeu

struct site_ctl {
    uint32_t id; /* 1, 2, ...: what the log knows it by */
    char *name;  /* the machine's name, as SlurmctldHost says */
    char *host;  /* where to reach it */
    uint16_t port;
};

struct site_node {
    char *name, *hostname, *addr, *bcast_addr;
    uint16_t port;
    uint32_t boards, sockets, cores, threads, cpus; /* cores a socket, threads a core; all 0: as the node reports */
    uint64_t mem_mb, tmp_mb, mem_spec_mb;
    uint32_t weight;
    uint16_t core_spec, restricted_cores_per_gpu;
    char *cpu_spec_list, *features, *gres, *cpu_bind, *parameters, *topology; /* NULL: not set */
    char *state; /* UNKNOWN DOWN DRAIN FAIL FAILING CLOUD FUTURE; DownNodes is worked in */
    char *reason;
    uint32_t suspend_time_s; /* SITE_NONE: the partition's or the cluster's */
    uint32_t line;           /* index of its line in site->conf */
};

struct site_part {
    char *name;
    char *nodes;    /* as written */
    char *node_sets; /* the sets among them; NULL: none */
    uint32_t *node; /* indexes into site->node, ascending, each once */
    size_t nnodes;
    bool is_default, hidden, root_only, lln, req_resv, disable_root_jobs, power_down_on_idle;
    bool exclusive_user, exclusive_topo;     /* old words; worked into `exclusive` */
    char *exclusive;                         /* NO NODE USER TOPO */
    char *state;                             /* UP DOWN DRAIN INACTIVE */
    uint32_t max_time_min, default_time_min; /* SITE_INFINITE; default_time_min SITE_NONE: max_time_min */
    uint32_t min_nodes, max_nodes;
    uint32_t max_cpus_per_node, max_cpus_per_socket;                      /* SITE_INFINITE: no limit */
    uint64_t def_mem_per_cpu_mb, def_mem_per_node_mb, def_mem_per_gpu_mb; /* 0: the cluster's */
    uint64_t max_mem_per_cpu_mb, max_mem_per_node_mb;
    uint64_t def_cpu_per_gpu;
    uint16_t priority_tier, priority_job_factor;
    uint16_t priority_both; /* Priority=, the old word for the two above; SITE_NONE16: not set */
    char *oversubscribe;    /* NO, YES:4, FORCE:4, EXCLUSIVE */
    char *preempt_mode, *allow_groups, *allow_accounts, *allow_qos, *deny_accounts, *deny_qos; /* NULL: not set */
    char *alloc_nodes, *qos, *alternate, *tres_billing_weights, *cpu_bind, *select_type_parameters, *topology;
    uint32_t grace_s;
    uint32_t over_time_limit_min;                 /* SITE_NONE: the cluster's */
    uint32_t suspend_time_s;                      /* SITE_NONE: the cluster's */
    uint16_t resume_timeout_s, suspend_timeout_s; /* SITE_NONE16: the cluster's */
    uint32_t line;
};

struct site_nodeset {
    char *name, *feature, *nodes;
    uint32_t line;
};

struct site {
    char *path;       /* NULL: no file */
    struct conf conf; /* every line, for keys that have no field here */
    bool client;      /* nodes and partitions were not worked out */

    char *cluster;
    struct site_ctl *ctl; /* at least one */
    size_t nctl;
    uint16_t ctl_port, node_port; /* SlurmctldPort (the first of a range), SlurmdPort */

    struct site_node *node; /* in configured order */
    size_t nnodes;
    struct smap node_by_name;
    struct site_part *part;
    size_t nparts;
    struct site_nodeset *nodeset;
    size_t nnodesets;

    /* where things are */
    char *socket_dir, *key_file, *key_dir; /* SpurSocketDir, SpurKeyFile, SpurKeyDir */
    char *transport;                  /* SpurTransport: "tls", "plain" */
    char *state_dir, *node_spool_dir; /* StateSaveLocation; SlurmdSpoolDir with its %n and %h */
    char *ctl_pid_file, *node_pid_file, *ctl_log_file, *node_log_file, *tmp_fs;
    char *ctl_log_level, *node_log_level; /* quiet fatal error info verbose debug debug2 .. debug5 */
    char *slurm_user, *slurmd_user;

    /* times */
    uint16_t batch_start_timeout_s, complete_wait_s, inactive_limit_s, kill_wait_s, message_timeout_s;
    uint16_t tcp_timeout_s, wait_time_s, tree_width;
    uint16_t ctl_timeout_s, node_timeout_s, unkillable_step_timeout_s, group_update_s, over_time_limit_min;
    uint32_t min_job_age_s;
    uint16_t health_check_interval_s, prolog_timeout_s, epilog_timeout_s, prolog_epilog_timeout_s;

    /* jobs */
    uint32_t first_job_id, max_job_id, max_job_count, max_array_size, max_step_count, max_batch_requeue;
    uint16_t max_tasks_per_node, job_requeue, job_file_append, kill_on_bad_exit, return_to_service, vsize_factor;
    uint64_t def_mem_per_cpu_mb, def_mem_per_node_mb, def_mem_per_gpu_mb, def_cpu_per_gpu;
    uint64_t max_mem_per_cpu_mb, max_mem_per_node_mb;
    char *enforce_part_limits; /* NO ANY ALL */
    bool disable_root_jobs, track_wckey;
    char *propagate_limits, *propagate_limits_except;
    bool training_env; /* SpurTrainingEnv: tasks are told MASTER_ADDR, RANK and the like */
    char *prolog, *epilog, *prolog_slurmctld, *epilog_slurmctld,
        *prolog_flags; /* one program a line, as they may be several */
    char *task_prolog, *task_epilog, *srun_prolog, *srun_epilog;
    char *mail_prog, *launch_parameters, *mpi_default, *dependency_parameters, *requeue_exit, *requeue_exit_hold;
    char *job_submit_plugins, *interactive_step_options, *licenses;

    /* scheduling */
    char *policy;            /* SpurPolicy: "short"; empty: by priority */
    uint32_t preempt_exempt_s;
    uint16_t fair_damping; /* FairShareDampeningFactor */
    uint16_t time_slice_s; /* SchedulerTimeSlice: a turn of jobs that share cores */
    uint32_t clock_max_skew_s; /* SpurClockMaxSkew: a machine whose clock is further off does not lead */
    char *fencing;             /* SpurFencing: "confirm", "lease"; else as Slurm */
    uint32_t lease_s;          /* SpurLeaseTime; 0: SlurmdTimeout */
    char *fence_program;       /* SpurFenceProgram */
    uint32_t yield_after_s; /* SpurYieldAfter: a job that checkpoints may be asked to make room once it has run so long;
                               0: never */
    uint32_t planned_starts; /* SpurPlannedStarts: how many waiting jobs a place is kept for */
    char *scheduler_type, *scheduler_parameters, *select_type, *preempt_type, *preempt_mode;
    char *select_type_parameters; /* "CR_CORE_MEMORY,..."; NULL: select/linear with nothing said */
    uint32_t resv_over_run_min; /* how long jobs may stay when their reservation is over; 65534 and more: for ever */
    char *gres_types, *private_data, *topology_plugin, *topology_param, *task_plugin, *proctrack_type;
    char *priority_type, *priority_flags, *priority_weight_tres, *accounting_enforce, *accounting_tres;
    uint32_t priority_weight_age, priority_weight_assoc, priority_weight_fairshare, priority_weight_job_size;
    uint32_t priority_weight_partition, priority_weight_qos;
    uint32_t priority_max_age_s, priority_calc_s, priority_half_life_s;
    char *priority_reset;
    bool priority_favor_small;
    char *slurmd_parameters, *slurmctld_parameters, *debug_flags;
    bool allow_spec;       /* AllowSpecResourcesUsage */
    bool config_overrides; /* SlurmdParameters=config_overrides: believe the file, not the node */

    const char *value[CONF_KEYS_MAX]; /* by row of conf_keys(CONF_GLOBAL): as written, NULL when not set */
    struct site_pool *pool;           /* the texts */
    struct gres_conf **devices; /* by node, by site_gres_load() (text/site_gres.h); NULL: none is near to some cores */
    struct topo_conf *topo;           /* the network, by topo_load() (text/topology.h); NULL: none */
};

/* Read the configuration at `path`; NULL: one machine, one partition, all discovered.  The first mistake, with its file
 * and line, is the error.  Free what you load. */
int site_load(struct site **out, const char *path, struct err *err);

/* The same for commands: global keys alone, node and partition lines are only split into their pairs. */
int site_load_client(struct site **out, const char *path, struct err *err);

/* From text in memory, for tests; Includes are refused. */
int site_load_text(struct site **out, const char *text, size_t len, const char *file, struct err *err);

void site_free(struct site *s); /* NULL is welcome */

/* $SLURM_CONF, then /etc/slurm/slurm.conf, /etc/spur/slurm.conf: the first that is there (the variable is believed).
 * NULL: none. */
const char *site_find_conf(void);

/* What the file says for a global key, else the default's text, else NULL. */
const char *site_value(const struct site *s, const char *key);

/* SpurTransport=tls: machines have keys of their own. */
bool site_uses_tls(const struct site *s);
/* Is the first controller on this machine?  A cluster without keys gets them here. */
bool site_founds(const struct site *s);
/* Uid of SlurmUser; 0: root, or no such user. */
uid_t site_owner(const struct site *s);

/* Lookups; NULL when there is none. */
const struct site_node *site_node(const struct site *s, const char *name);
const struct site_part *site_part(const struct site *s, const char *name);

/* `pattern` with %n (node name), %h (short host name), %% put in: SlurmdSpoolDir and friends.  Yours to free. */
char *site_node_path(const struct site *s, const char *pattern, const struct site_node *node);

/* The value of `name` in a parameter list "a,b=3": the text after `=`, "" for a bare word, NULL when it is not there.
 * Points into `list`; ends at a comma or the end. */
const char *site_param(const char *list, const char *name);

/* Every key of the file that Spur knows and does not act on, each once: key and the line it stands on first. */
typedef void conf_unused_fn(void *arg, const char *key, const char *file, uint32_t line);
void conf_unused(const struct site *s, conf_unused_fn *each, void *arg);

/* Settings that are allowed and probably a mistake, a sentence each: keys given twice, CPUs that match no hardware,
 * gres that no node declares. */
typedef void site_warning_fn(void *arg, const char *sentence);
void site_warnings(const struct site *s, site_warning_fn *each, void *arg);

/* What only the running controller knows. */
struct site_facts {
    time_t now, boot; /* boot 0: unknown */
    uint32_t next_job_id;
    uint32_t node_count;
    const char *version; /* SLURM_VERSION */
    uint32_t slurm_uid, slurmd_uid; /* of SlurmUser and SlurmdUser, where they are names */
};

/* The body of `scontrol show config`, from "Configuration data as of" to the last key. */
void site_config_text(const struct site *s, const struct site_facts *facts, struct buf *out);

#endif
