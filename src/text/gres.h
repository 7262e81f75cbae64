/*
 * gres - generic resources as users ask for them and slurm.conf declares them:
 * "gpu:tesla:2,shard:4", "gres/gpu:2", "gres:gpu:2", "gpu", "gpu:a100:4(S:0-1),nic:no_consume:2".
 */
#ifndef SPUR_TEXT_GRES_H
#define SPUR_TEXT_GRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct gres {
    char *name;      /* "gpu" */
    char *type;      /* "a100"; NULL: any */
    char *where;     /* what stood in parentheses: "S:0-1"; NULL: nothing did */
    uint64_t count;
    bool no_consume; /* declared, but any number of jobs may use it at once */
};

struct gres_list {
    struct gres *at;
    size_t n, cap;
};

#define GRES_INIT { NULL, 0, 0 }
#define auto_gres __attribute__((cleanup(gres_clear)))

void gres_clear(struct gres_list *l); /* free; reusable after */

/* Append what a user's --gres says.  "none" and "" are nothing. */
int gres_parse(const char *spec, struct gres_list *out, struct err *err);

/* Append what --gpus, --gpus-per-node and friends say: "2", "a100:2", "a100:2,v100:1"; the name is always gpu. */
int gres_parse_gpus(const char *spec, struct gres_list *out, struct err *err);

/* Append what a node's Gres= says: parentheses and no_consume are allowed, counts of one name and type add up. */
int gres_parse_node(const char *spec, struct gres_list *out, struct err *err);

/* Add `count` of (name, type), to the entry that is there or a new one. */
void gres_add(struct gres_list *l, const char *name, const char *type, uint64_t count);

/* Sum over the entries of `name`; of that `type` only, unless it is NULL. */
uint64_t gres_count(const struct gres_list *l, const char *name, const char *type);

/* "gpu:a100:4(S:0-1),shard:8"; yours, "" when empty. */
char *gres_text(const struct gres_list *l);

/* The user's own words with `prefix` before each piece that lacks it, as TresPerNode and %b show them:
 * "gpu,nic:2" and "gres/" -> "gres/gpu,gres/nic:2"; "a100:2" and "gres/gpu:" -> "gres/gpu:a100:2". */
char *gres_spec_prefixed(const char *spec, const char *prefix);

#endif
