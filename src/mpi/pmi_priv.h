/*
 * pmi_priv - internals of the PMI server that PMI-1 and PMI-2 share.
 */
#ifndef SPUR_MPI_PMI_PRIV_H
#define SPUR_MPI_PMI_PRIV_H

#include "base/buf.h"
#include "base/map.h"
#include "mpi/pmi.h"

#define PMI_PAIRS 64

enum pmi_dialect { PMI_UNKNOWN, PMI_ONE, PMI_TWO };

struct pmi_task {
    enum pmi_dialect dialect;
    struct buf in;
    bool fencing, in_spawn;
    char *attr; /* a node attribute that the task waits for */
    /* PMI-2: the thread of the current command, of the fence, of the wait for the attribute; repeated in the reply */
    char *thread, *fence_thread, *attr_thread;
};

struct pmi_store {
    struct smap map; /* struct pmi_entry */
    size_t bytes;
};

struct pmi {
    struct pmi_place place;
    const struct pmi_ops *ops;
    void *arg;
    struct pmi_task *task;
    struct pmi_store kvs, attrs; /* of the step; of this node */
    struct buf fresh;            /* put since the last fence: key NUL value NUL each */
    uint32_t nfencing;
    bool fence_out; /* this node's part has been sent */
    uint64_t fences;
};

/* A parsed command; its strings are borrowed from the parsed text. */
struct pmi_msg {
    struct {
        const char *key, *value;
    } pair[PMI_PAIRS];
    size_t n;
};

const char *pmi_value(const struct pmi_msg *m, const char *key); /* NULL: no such key */

struct pmi_command {
    const char *name;
    void (*fn)(struct pmi *p, uint32_t local, const struct pmi_msg *m);
};
/* Call the function of that command; false: no such command. */
bool pmi_dispatch(const struct pmi_command *rows, const char *name, struct pmi *p, uint32_t local,
                  const struct pmi_msg *m);

/* ---- pmi.c: the state ---- */
const char *pmi_get(const struct pmi_store *s, const char *key);
/* 0, or an error with the reason: the key or the value is too long, or the store is full. */
int pmi_put(struct pmi *p, struct pmi_store *s, const char *key, const char *value, const char **why);
void pmi_fence(struct pmi *p, uint32_t local);
void pmi_reply(struct pmi *p, uint32_t local, const struct buf *text);
void pmi_no_spawn(struct pmi *p, uint32_t local);

/* ---- pmi1.c, pmi2.c ---- */
void pmi1_line(struct pmi *p, uint32_t local, char *line);
void pmi1_fenced(struct pmi *p, uint32_t local, int status);
void pmi2_text(struct pmi *p, uint32_t local, char *text);
void pmi2_fenced(struct pmi *p, uint32_t local, int status);
void pmi2_attr(struct pmi *p, const char *key); /* `key` was put: reply to the tasks that wait for it */

#endif
