/*
 * scontrol - what its commands share: the flags, the connection, the document of --json.
 */
#ifndef SPUR_CLI_SCONTROL_H
#define SPUR_CLI_SCONTROL_H

#include <stdbool.h>

#include "base/buf.h"
#include "cli/document.h"
#include "client/client.h"

struct scontrol {
    int all, detail, future, one_line, quiet, federation, local;
    unsigned verbose;
    bool done;                        /* by `quit` */
    struct client *client;            /* opened when first needed */
    struct document doc;              /* --json, --yaml */
};

/* The commands: argv[0] is the keyword.  Return what becomes the exit status. */
typedef int scontrol_fn(struct scontrol *s, int argc, char **argv);

scontrol_fn scontrol_show;
scontrol_fn scontrol_job_op, scontrol_write, scontrol_wait_job, scontrol_completing;
scontrol_fn scontrol_update, scontrol_create, scontrol_delete;
scontrol_fn scontrol_listpids, scontrol_listjobs, scontrol_liststeps, scontrol_pidinfo;
scontrol_fn scontrol_ping, scontrol_reconfigure, scontrol_shutdown, scontrol_takeover;

/* Reservations have a syntax of their own; argv begins with the first pair. */
int scontrol_create_resv(struct scontrol *s, int argc, char **argv);
int scontrol_update_resv(struct scontrol *s, int argc, char **argv);
int scontrol_delete_resv(struct scontrol *s, const char *word, const char *name);

/* What `show` shows; `id` NULL: all. */
int show_jobs(struct scontrol *s, const char *id);
int show_steps(struct scontrol *s, const char *id);
int show_nodes(struct scontrol *s, const char *id);
int show_parts(struct scontrol *s, const char *id);
int show_topology(struct scontrol *s, int argc, char **argv); /* the words after `topology` */
int show_resvs(struct scontrol *s, const char *id);
int show_licenses(struct scontrol *s, const char *id);

/* One call to the controller. */
int scontrol_call(struct scontrol *s, enum msg_type type, const ProtobufCMessage *request, enum msg_type want,
                  ProtobufCMessage **reply, struct err *err);
struct client *scontrol_client(struct scontrol *s, struct err *err);    /* NULL: err says why */
const char *scontrol_words(int rc, const struct err *err);             /* the text of a failure */

/* To stderr, unless quiet; returns 1. */
int scontrol_fail(const struct scontrol *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* scontrol_resize.c: after a job changed its size, write the scripts that correct the environment of its shell. */
int scontrol_resized(struct scontrol *s, uint32_t id);

#endif
