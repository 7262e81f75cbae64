/*
 * budget - what one user may cost the controller: connections, memory, requests a second, time of its thread.
 *
 * Every user has an account.  Root, SlurmUser, agents and controllers have none (NULL) and are always served.  A user
 * over a bound gets SLURMCTLD_COMMUNICATIONS_BACKOFF, and the commands try again by themselves; the other users do not
 * notice.  Within a turn a user whose requests took SLICE_US waits until the requests of all other users are done.
 *
 * The rate of requests is bounded if SlurmctldParameters has rl_enable, by Slurm's token bucket.
 */
#ifndef SPUR_CTL_BUDGET_H
#define SPUR_CTL_BUDGET_H

#include "base/err.h"
#include "base/map.h"
#include "text/site.h"

#define BUDGET_CONNECTIONS 1024u          /* of one user */
#define BUDGET_REQUESTS 4096u             /* of one user, waiting for a turn */
#define BUDGET_IN_BYTES (64u << 20)       /* of one user: requests that wait and frames that are not complete */
#define BUDGET_OUT_BYTES (64u << 20)      /* of one user: replies that the user's commands have not read */
#define BUDGET_SLICE_US 4000              /* of one user in a turn, before other users */
#define BUDGET_TURN_US 12000              /* of all users in a turn; the remaining requests wait for the next one */

struct budget_user {
    uint32_t uid;
    unsigned connections, requests; /* open; waiting for a turn */
    size_t in_bytes;                /* of requests that wait, and of frames under way */
    size_t unread;                  /* bytes of replies to the user's commands: at most so many are not read */
    uint64_t turn;                  /* `used_us` and `said` are of this turn */
    int64_t used_us;                /* by the user's requests */
    size_t said;                    /* bytes of replies that wait for the turn's commit */
    uint64_t tokens; /* requests that the user may send at once */
    int64_t filled_s; /* when tokens were last added */
    int64_t logged_s;
    uint64_t refused;
};

struct budget {
    struct map users; /* uid + 1 -> struct budget_user */
    unsigned connections, connections_max; /* of all users together */
    size_t in_bytes;
    uint64_t refused, turn;
    bool rate; /* rl_enable */
    uint64_t bucket_size, refill_rate, refill_period_s, table_size;
    int64_t log_freq_s; /* below 0: nothing is logged */
    const struct site *site; /* the numbers above are from it */
};

void budget_init(struct budget *b);
void budget_clear(struct budget *b);

/* The account of a user, made when it is new. */
struct budget_user *budget_user(struct budget *b, uint32_t uid, int64_t now_s);

/* All of these: 0, or SLURMCTLD_COMMUNICATIONS_BACKOFF with a sentence.  `u` may be NULL: no bounds. */
int budget_connect(struct budget *b, struct budget_user *u, struct err *err);
int budget_receive(struct budget *b, struct budget_user *u, size_t bytes, struct err *err); /* a frame begins */
int budget_request(struct budget *b, struct budget_user *u, size_t bytes, int64_t now_s, struct err *err); /* waits */
int budget_reply(struct budget *b, struct budget_user *u, struct err *err); /* may the user get another reply? */

void budget_disconnect(struct budget *b, struct budget_user *u);
void budget_received(struct budget *b, struct budget_user *u, size_t bytes); /* the frame is complete, or given up */
void budget_answered(struct budget *b, struct budget_user *u, size_t bytes); /* the request waits no longer */

void budget_turn(struct budget *b, const struct site *site); /* a turn begins, with this configuration */
void budget_spend(struct budget *b, struct budget_user *u, int64_t us, size_t said); /* for a request in this turn */
size_t budget_out(const struct budget *b, const struct budget_user *u); /* bytes of replies, sent or not, unread */
bool budget_spent(const struct budget *b, const struct budget_user *u); /* do other users come first in this turn? */

#endif
