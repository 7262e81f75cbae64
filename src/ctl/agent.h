/*
 * agent - the nodes' daemons: they register, are heard of, are lost.
 *
 * A node whose connection closed is shown as not responding after ten seconds and is down after SlurmdTimeout; so is
 * one that keeps its connection and sends no heartbeat.
 */
#ifndef SPUR_CTL_AGENT_H
#define SPUR_CTL_AGENT_H

#include "ctl/module.h"

void agent_open(struct ctl *t);
void agent_close(struct ctl *t);
void agent_lead(struct ctl *t); /* every node has SlurmdTimeout from now on to register */
void agent_lost(struct ctl *t, uint64_t session);
void agent_forgive(struct ctl *t, int64_t late_ms); /* this controller may have stood still for so long */
timer_fn agent_timer;           /* a lost connection: has the node come back? */
timer_fn agent_heartbeat_timer; /* has a connected node been heard of? */

void agent_fit(struct ctl *t); /* the configuration may have more nodes now */
uint64_t agent_session(const struct ctl *t, uint32_t node);            /* 0: not connected */
int64_t agent_lost_ms(const struct ctl *t, uint32_t node);             /* since when it is not connected */
struct node *agent_node(const struct ctl *t, uint64_t session);        /* NULL: no node has registered there */

#endif
