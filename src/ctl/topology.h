/*
 * topology - the network at the controller: listed for clients, told to its jobs, and checked at submission.
 */
#ifndef SPUR_CTL_TOPOLOGY_H
#define SPUR_CTL_TOPOLOGY_H

#include "ctl/ctl_priv.h"
#include "ctl/update_job.h"


/* Where the nodes of a job are, in their order; `*spans` NULL without a network.  Free with topo_tell_free(). */
size_t topo_tell(const struct ctl *t, const struct job *j, Pb__TopoSpan ***spans, protobuf_c_boolean *blocks);
void topo_tell_free(Pb__TopoSpan **spans, size_t n);

/* The longest that a job may wait for the switches it wants: max_switch_wait of SchedulerParameters. */
int64_t topo_switch_wait(const struct site *s);

/* Segments that the nodes asked for by name cannot make are refused; how long to wait for switches is said in full.
 * `spec` was unpacked: its texts are on the heap. */
int topo_submit(const struct ctl *t, Pb__JobSpec *spec, struct err *err);

/* scontrol update: Switches=COUNT[@TIME], 0 for none; wait-for-switch=SECONDS */
set_fn topo_set_switches, topo_set_wait;

#endif
