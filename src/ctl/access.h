/*
 * access - the permission table: which peer may do what, by its relation to the record.
 * Also: which users may use a partition.
 *
 * A right is a message, or one use of a message.  Its row names the relations that have it.  ctl_request() refuses a
 * message none of whose rights the sender could have; the function that finds the record asks access_may() about it.
 * No other code compares user ids to decide what a peer may do.  `spurctld --permissions` prints the table.
 *
 * Queries are rights of every user; what each user sees of the records is decided by privacy.h.
 */
#ifndef SPUR_CTL_ACCESS_H
#define SPUR_CTL_ACCESS_H

#include "ctl/ctl_priv.h"

enum relation {
    REL_OTHER, /* any user */
    REL_OWNER, /* of the job that the right is about */
    REL_ADMIN, /* root and SlurmUser */
    REL_AGENT, /* a node's daemon */
    REL_NODE,  /* a user of a node that cannot vouch for the user: root, or a user without a job there */
    RELATIONS
};

#define MAY(relation) (1u << (relation))
#define MAY_USERS (MAY(REL_OTHER) | MAY_OWNERS)
#define MAY_READERS (MAY_USERS | MAY(REL_NODE))
#define MAY_OWNERS (MAY(REL_OWNER) | MAY(REL_ADMIN))
#define MAY_ADMINS MAY(REL_ADMIN)
#define MAY_AGENTS MAY(REL_AGENT)

/* clang-format off */
/*    right              message           senders      of a job  what it is */
#define ACCESS_RIGHTS(X) \
    X(SUBMIT,            MSG_SUBMIT,       MAY_USERS,   false,    "submit a job") \
    X(SUBMIT_AS,         MSG_SUBMIT,       MAY_ADMINS,  false,    "submit a job for another user") \
    X(SUBMIT_RAISED,     MSG_SUBMIT,       MAY_ADMINS,  false,    "submit with a priority, nice below 0") \
    X(STEP,              MSG_STEP,         MAY_OWNERS,  true,     "start a step") \
    X(JOB_DONE,          MSG_JOB_DONE,     MAY_OWNERS,  true,     "give an allocation back") \
    X(CANCEL,            MSG_CANCEL,       MAY_OWNERS,  true,     "cancel or signal a job") \
    X(HOLD,              MSG_JOB_OP,       MAY_OWNERS,  true,     "hold, release or requeue a job") \
    X(HOLD_ADMIN,        MSG_JOB_OP,       MAY_ADMINS,  true,     "hold so that the owner cannot release") \
    X(SUSPEND,           MSG_JOB_OP,       MAY_ADMINS,  true,     "suspend or resume a job") \
    X(TOP,               MSG_JOB_OP,       MAY_OWNERS,  true,     "move a job before others of its user") \
    X(TOP_ANY,           MSG_JOB_OP,       MAY_ADMINS,  true,     "the same without enable_user_top") \
    X(UPDATE_JOB,        MSG_UPDATE,       MAY_OWNERS,  true,     "change a job") \
    X(UPDATE_JOB_RAISED, MSG_UPDATE,       MAY_ADMINS,  true,     "raise a limit, AdminComment and the like") \
    X(UPDATE_STEP,       MSG_UPDATE,       MAY_OWNERS,  true,     "change a step") \
    X(UPDATE_CLUSTER,    MSG_UPDATE,       MAY_ADMINS,  false,    "change nodes, partitions and reservations") \
    X(DRAIN_NODE,        MSG_UPDATE,       MAY_ADMINS | MAY(REL_NODE), false, "drain the node, by its own root") \
    X(DELETE_RESV,       MSG_UPDATE,       MAY_USERS,   false,    "delete a reservation that allows it") \
    X(WAIT,              MSG_WAIT,         MAY_OWNERS,  true,     "wait for a job") \
    X(JOBS,              MSG_JOBS,         MAY_READERS, false,    "list jobs") \
    X(NODES,             MSG_NODES,        MAY_READERS, false,    "list nodes") \
    X(CLUSTER,           MSG_CLUSTER,      MAY_READERS, false,    "list nodes and partitions") \
    X(PARTS,             MSG_PARTS,        MAY_READERS, false,    "list partitions") \
    X(RESVS,             MSG_RESVS,        MAY_READERS, false,    "list reservations") \
    X(LICENSES,          MSG_LICENSES,     MAY_READERS, false,    "list licenses") \
    X(TOPOLOGY,          MSG_TOPOLOGY,     MAY_READERS, false,    "show the topology") \
    X(CONFIG,            MSG_CONFIG,       MAY_READERS, false,    "show the configuration") \
    X(SCRIPT,            MSG_SCRIPT,       MAY_OWNERS,  true,     "read a job's script or environment") \
    X(STATUS,            MSG_STATUS,       MAY_READERS, false,    "ask a controller for its status") \
    X(WHY,               MSG_WHY,          MAY_READERS, false,    "ask why a job waits") \
    X(PRIO,              MSG_PRIO,         MAY_READERS, false,    "list priorities") \
    X(DIAG,              MSG_DIAG,         MAY_READERS, false,    "read the controller's counters") \
    X(DIAG_RESET,        MSG_DIAG,         MAY_ADMINS,  false,    "reset the controller's counters") \
    X(ASSOC,             MSG_ASSOC,        MAY_READERS, false,    "list accounts, QOS and shares") \
    X(HISTORY,           MSG_HISTORY,      MAY_READERS, false,    "list jobs of the past") \
    X(CRED,              MSG_CRED,         MAY_USERS,   false,    "get a credential for the user") \
    X(PERMIT,            MSG_PERMIT,       MAY_OWNERS,  true,     "get a permit for the nodes of a job") \
    X(PERMIT_ANY,        MSG_PERMIT,       MAY_ADMINS,  false,    "get a permit for any node") \
    X(ASSOC_LOAD,        MSG_ASSOC_LOAD,   MAY_ADMINS,  false,    "load accounts, users and QOS") \
    X(RECONFIGURE,       MSG_RECONFIGURE,  MAY_ADMINS,  false,    "read the configuration again") \
    X(SHUTDOWN,          MSG_SHUTDOWN,     MAY_ADMINS,  false,    "stop the controller") \
    X(TAKEOVER,          MSG_TAKEOVER,     MAY_ADMINS,  false,    "pass the leadership on") \
    X(REGISTER,          MSG_REGISTER,     MAY_AGENTS,  false,    "register a node, by its own daemon") \
    X(HEARTBEAT,         MSG_HEARTBEAT,    MAY_AGENTS,  false,    "report a node's load") \
    X(LAUNCH_REPLY,      MSG_LAUNCH_REPLY, MAY_AGENTS,  false,    "report the start of a step") \
    X(REPORT,            MSG_REPORT,       MAY_AGENTS,  false,    "report the end of a step") \
    X(REPORTS,           MSG_REPORTS,      MAY_AGENTS,  false,    "the same of the nodes below") \
    X(FANOUT_REPLY,      MSG_FANOUT_REPLY, MAY_AGENTS,  false,    "report which nodes got an order")
/* clang-format on */

enum right {
#define X(name, type, may, of_job, text) RIGHT_##name,
    ACCESS_RIGHTS(X)
#undef X
        RIGHTS
};

struct access_row {
    const char *name; /* "UPDATE_JOB" */
    enum msg_type type;
    unsigned may; /* MAY() of each relation that has the right */
    bool of_job;
    const char *text;
};
extern const struct access_row access_rows[RIGHTS];
extern const char *const access_relation_names[RELATIONS];

/* May the peer do this, to this job?  NULL: the right is about no job.  A refusal is kept in `t->denied` until the
 * request has been answered. */
bool access_may(struct ctl *t, const struct ctl_peer *peer, enum right right, const struct job *j);
/* The same as a mere question: what follows is no refusal. */
bool access_has(const struct ctl *t, const struct ctl_peer *peer, enum right right, const struct job *j);

/* A node's machine vouches for the users of the jobs on this node, and for no others: a stolen key of a node speaks for
 * these users, in their other jobs as well, while their jobs are there.  All other users of the node have the relation
 * REL_NODE: they may read what every user may read, and root may drain the node. */
bool access_vouched(const struct ctl *t, const struct ctl_peer *peer);
/* The peer as it is treated: a user without the word of the node owns nothing. */
struct ctl_peer access_identity(const struct ctl *t, const struct ctl_peer *peer);
#define ACCESS_NO_UID (UINT32_MAX - 1)

/* Could the peer have any right that this message asks for? */
bool access_may_send(struct ctl *t, const struct ctl_peer *peer, enum msg_type type);

/* May the user run jobs in the partition?  0, or Slurm's error. */
int access_part(const struct ctl *t, const struct part *p, uint32_t uid, uint32_t gid, const char *account);

#endif
