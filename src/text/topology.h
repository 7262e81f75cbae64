/*
 * topology - topology.conf and topology.yaml: which switch or block each node hangs on.
 *
 * Both files give the same description.  topology.yaml, where it is there, holds any number of networks and is read
 * instead of the other one, whatever TopologyPlugin says.  Every mistake is an error with file, line and key.
 */
#ifndef SPUR_TEXT_TOPOLOGY_H
#define SPUR_TEXT_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct site;

enum topo_kind { TOPO_FLAT, TOPO_TREE, TOPO_BLOCK };

#define TOPO_NAME_MAX 64
#define TOPO_UNITS_MAX 65536

struct topo_conf_unit { /* a switch or a block; texts owned, "" when not said */
    char *name, *nodes, *children, *speed;
    uint32_t line;
};

struct topo_conf_net {
    char *name; /* "default" in topology.conf */
    enum topo_kind kind;
    bool is_default;
    VEC(struct topo_conf_unit) unit; /* in the order of the file */
    VEC(uint32_t) size;              /* BlockSizes */
    uint32_t line;
};

struct topo_conf {
    char *file;
    bool optional; /* TopologyParam=TopoOptional */
    VEC(struct topo_conf_net) net;
};

struct topo_conf *topo_conf_new(const char *file);
void topo_conf_free(struct topo_conf *t); /* NULL is welcome */

/* The text of a topology.conf for one kind of network, appended as its only one. */
int topo_conf_parse(struct topo_conf *t, enum topo_kind kind, const char *text, size_t len, struct err *err);

/* The text of a topology.yaml (topology_yaml.c). */
int topo_yaml_parse(struct topo_conf *t, const char *text, size_t len, struct err *err);

/* Names once each, children that are there, no circles, sizes that double: what both files promise. */
int topo_conf_check(const struct topo_conf *t, struct err *err);

/* What the files beside slurm.conf say, put into site->topo; Topology= of nodes and partitions is worked in.  Without
 * any topology site->topo stays NULL. */
int topo_load(struct site *s, struct err *err);

/* What is probably a mistake, a sentence each: names of nodes that are not configured, nodes without a switch,
 * switches that no other connects, words of TopologyParam that nothing acts on. */
typedef void topo_warning_fn(void *arg, const char *sentence);
void topo_warnings(const struct site *s, topo_warning_fn *each, void *arg);

/* For the readers: a new network, a new unit of the last network; sizes from "30,120". */
struct topo_conf_net *topo_conf_add(struct topo_conf *t, const char *name, enum topo_kind kind, uint32_t line);
struct topo_conf_unit *topo_conf_unit(struct topo_conf_net *n, const char *name, uint32_t line);
int topo_conf_size(struct topo_conf_net *n, const char *text, struct err *err);

#endif
