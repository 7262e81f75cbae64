/*
 * stub - a stub of the controller: one listening socket, the agent's messages, the orders of a test.
 *
 * It drives the real spurd and spurstepd binaries, named by $SPURD and $SPURSTEPD.
 */
#ifndef SPUR_TEST_STUB_H
#define SPUR_TEST_STUB_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "base/mem.h"
#include "base/vec.h"
#include "io/link.h"
#include "step/spool.h"

struct stub {
    uv_loop_t *loop;
    struct cred_key key, wrong_key;
    struct link_listener *server;
    struct link *agent; /* the registered agent */
    uint16_t port;
    char dir[64];
    pid_t spurd;
    bool ack; /* acknowledge reports */
    unsigned registers, heartbeats;
    uint64_t ask; /* the next registration is answered by this question */
    VEC(Pb__Report *) reports;
    VEC(Pb__LaunchReply *) replies;
    Pb__RegisterRequest *last; /* the last registration */
};

void stub_start(struct stub *s);
void stub_stop(struct stub *s);                  /* and everything in its folder */
void stub_spurd(struct stub *s);                 /* start the agent */
void stub_kill_spurd(struct stub *s, int signo); /* and wait for its end */

/* Run the loop until `done(s)` or for 10 s; returns whether it is done. */
bool stub_until(struct stub *s, bool (*done)(struct stub *s));
void stub_idle(struct stub *s, unsigned ms);

/* An order with everything filled in for `sh` text `script`; change it, then send it. */
Pb__LaunchOrder *stub_order(struct stub *s, uint32_t job_id, const char *script);
void stub_set(char **where, const char *value); /* replace a text of an order */
void stub_launch(struct stub *s, const Pb__LaunchOrder *o, const struct cred_key *key);
void stub_kill(struct stub *s, const Pb__KillOrder *k);
void stub_ack(struct stub *s, const Pb__Report *r);
Pb__Report *stub_report(struct stub *s, uint32_t job_id); /* the newest report of a step of this job, or NULL */
bool stub_clean(struct stub *s, uint32_t job_id);         /* was the node reported clean of this job? */
char *stub_read(struct stub *s, const char *name);        /* a file in its folder; the caller frees it, NULL: none */

#endif
