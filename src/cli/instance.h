/*
 * instance - a whole cluster of one machine in one folder: what `spur up` starts and `spur down` stops.
 *
 *     DIR/etc/slurm.conf   its configuration, which commands find by $SLURM_CONF
 *     DIR/etc/spur.key     its key
 *     DIR/etc/agents       the nodes that have an agent here, one a line; "emulate LIST": one agent that plays them all
 *     DIR/run/             sockets; NAME.pid of every daemon: its number and its start time
 *     DIR/state/ctlID/     the log of controller ID         DIR/spool/NODE/   what runs on NODE
 *     DIR/log/NAME.log     what a daemon says               DIR/bin/          links with the names of Slurm's commands
 *
 * A daemon is what its pid file names and nothing else: a process that got the number later has another start time.
 */
#ifndef SPUR_CLI_INSTANCE_H
#define SPUR_CLI_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "cli/proc.h"
#include "text/site.h"

struct daemon {
    char *name;        /* "ctl1", "node-n3": its files are called so */
    uint32_t ctl_id;   /* 0: an agent ... */
    char *node;        /* ... and of which node; `emulated`: of which, as a host list */
    bool emulated;     /* it plays many nodes */
    uint32_t nodes;    /* so many; 0: a controller */
    struct proc proc;  /* pid 0: it does not run */
    bool child;        /* this process started it */
};

struct instance {
    char *dir, *conf;
    struct site *site;
    VEC(struct daemon) daemons; /* controllers first */
    int lock;
};

#define INSTANCE_INIT { .lock = -1 }
#define auto_instance __attribute__((cleanup(instance_clear)))

struct instance_request {         /* the options of `spur up`; 0 and NULL: as it is, or the default */
    const char *dir, *conf;
    uint32_t nodes, controllers;
    bool emulate;              /* one agent plays all nodes */
};

/* Find the folder (NULL: the default one).  Nothing is made; ENOENT when `must_exist` and there is no cluster in it. */
int instance_find(struct instance *in, const char *dir, bool must_exist, struct err *err);
void instance_clear(struct instance *in); /* daemons go on */

/* Make the folder and its configuration where there is none, or as `request` says; then read it. */
int instance_make(struct instance *in, const struct instance_request *request, struct err *err);
/* Read the configuration, and which of the daemons run. */
int instance_load(struct instance *in, struct err *err);
/* Lock the instance: no other process starts or stops daemons here until this process ends. */
int instance_lock(struct instance *in, struct err *err);

size_t instance_running(const struct instance *in);
size_t instance_nodes(const struct instance *in); /* of all agents here */
char *instance_path(const struct instance *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Make a folder and its parents; an existing folder is left alone. */
int instance_mkdir(const char *path, unsigned mode, struct err *err);
/* Write `text` in place of the file, all or nothing. */
int instance_write(const char *path, const char *text, size_t len, unsigned mode, struct err *err);

/* ---- instance_conf.c ---- */
/* Write DIR/etc/slurm.conf and DIR/etc/agents. */
int instance_write_conf(struct instance *in, const struct instance_request *request, struct err *err);

/* ---- daemons.c ---- */
int daemon_start(const struct instance *in, struct daemon *d, struct err *err);
/* How a daemon that this process started has ended: false while it runs. */
bool daemon_ended(struct daemon *d, char *how, size_t room);
/* Its last `lines` lines of log, indented, to stderr. */
void daemon_show_log(const struct instance *in, const struct daemon *d, size_t lines);
/* Stop all that run: SIGTERM, and after `patience_s` SIGKILL. */
void daemons_stop(struct instance *in, unsigned patience_s);
/* Stop what runs under the supervisors of the instance, and the supervisors; returns how many supervisors there were.
 */
size_t supervisors_stop(const struct instance *in, unsigned patience_s);

#endif
