/*
 * node - the fields of a node, as scontrol show node and JSON have them; node_group has sinfo's.
 */
#ifndef SPUR_SHOW_NODE_H
#define SPUR_SHOW_NODE_H

#include "record.pb-c.h"
#include "show/show.h"

/* Names of users; NULL: numbers are shown. */
typedef const char *show_user_fn(uint32_t uid);

struct node_row {
    const Pb__Node *node;
    show_user_fn *user;
    const char *tres; /* AccountingStorageTRES: which devices are counted; NULL: none */
};

extern const struct show_table show_node; /* rows are struct node_row */

/* The state without the bit that only the controller uses. */
uint32_t node_state_shown(const Pb__Node *n);
bool node_has_reason(const Pb__Node *n);
/* Append the states as words by comma: "IDLE,DRAIN". */
void node_put_states(struct buf *out, const Pb__Node *n);
/* Append "gpu:2,gpu:a100:1". */
void node_put_gres_used(struct buf *out, const Pb__Node *n);
/* Append the user that gave the reason. */
void node_put_reason_user(struct buf *out, const Pb__Node *n, show_user_fn *user);
/* Append "cpu=4,mem=100M,node=1,billing=4"; counts of 0 are left out. */
struct show_tres {
    uint64_t cpus, mem_mb, nodes, billing;
    Pb__Gres *const *gres; /* devices; the ones that `counted` names are shown */
    size_t ngres;
    const char *counted;   /* "gres/gpu,..."; NULL: none */
};
void show_put_tres(struct buf *out, const struct show_tres *t);

#endif
