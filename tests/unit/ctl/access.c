/* access - the permission table and the messages of the controller cover each other, and the table is what is asked. */
#include "rig.h"

#include "ctl/access.h"

static const enum msg_type types[] = {
#define X(name, number, body) name,
    MSG_TYPES(X)
#undef X
};

static unsigned may_of(enum msg_type type)
{
    unsigned may = 0;
    for (enum right r = 0; r < RIGHTS; r++)
        may |= access_rows[r].type == type ? access_rows[r].may : 0;
    return may;
}

static void test_rows(void)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        ok((ctl_request_flags(types[i]) != 0) == (may_of(types[i]) != 0),
           "%s: a controller takes it if the table has it", msg_name(types[i]));
    for (enum right r = 0; r < RIGHTS; r++) {
        unsigned may = access_rows[r].may;
        ok(may && !(may & MAY(REL_AGENT) && may != MAY_AGENTS), "%s is a node's or a user's, not both",
           access_rows[r].name);
        ok(!(may & MAY(REL_OWNER)) || may & MAY(REL_ADMIN), "%s: an administrator may what an owner may",
           access_rows[r].name);
        ok(!access_rows[r].of_job || !(may & (MAY(REL_OTHER) | MAY(REL_AGENT) | MAY(REL_NODE))),
           "%s: no right of all users on a job", access_rows[r].name);
    }
}

/* The code of a reply to an empty message of this type. */
static int answer_to(struct rig *r, struct ctl_peer peer, enum msg_type type)
{
    struct frame f = { type, 0, 7, NULL, 0 };
    rig_begin(r);
    ctl_request(r->t, ASKER, &peer, &f);
    rig_end_turn(r);
    return rig_code(r);
}

static bool permitted(struct rig *r, struct ctl_peer peer, enum msg_type type)
{
    struct frame f = { type, 0, 7, NULL, 0 };
    return ctl_request_permitted(r->t, 0, &peer, &f);
}

/* Each message from each kind of peer; the daemon itself answers some of them. */
static void test_senders(void)
{
    struct rig r;
    rig_up(&r);
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        unsigned may = may_of(types[i]);
        const char *name = msg_name(types[i]);
        if (!may || ctl_request_flags(types[i]) & CTL_DAEMON)
            continue;
        if (may & MAY(REL_AGENT)) {
            is_int(answer_to(&r, (struct ctl_peer){ BOB, BOB, false, NULL }, types[i]), ESLURM_USER_ID_MISSING,
                   "%s is refused to a user", name);
            is_int(answer_to(&r, (struct ctl_peer){ 0, 0, false, NULL }, types[i]), ESLURM_USER_ID_MISSING,
                   "%s is refused to root", name);
            continue;
        }
        is_int(answer_to(&r, (struct ctl_peer){ 0, 0, true, "n1" }, types[i]), ESLURM_USER_ID_MISSING,
               "%s is refused to a node", name);
        bool users = may & (MAY(REL_OTHER) | MAY(REL_OWNER));
        int code = answer_to(&r, (struct ctl_peer){ BOB, BOB, false, NULL }, types[i]);
        ok((code == ESLURM_USER_ID_MISSING) == !users, "%s from a user", name);
        ok(answer_to(&r, (struct ctl_peer){ 500, 500, false, NULL }, types[i]) != ESLURM_USER_ID_MISSING,
           "%s from SlurmUser", name);
    }
    for (enum msg_type own = MSG_RECONFIGURE; own <= MSG_TAKEOVER; own++) {
        ok(ctl_request_flags(own) & CTL_DAEMON, "%s is the daemon's own", msg_name(own));
        ok(!permitted(&r, (struct ctl_peer){ BOB, BOB, false, NULL }, own), "%s from a user", msg_name(own));
        ok(!permitted(&r, (struct ctl_peer){ 0, 0, true, "n1" }, own), "%s from a node", msg_name(own));
        ok(permitted(&r, (struct ctl_peer){ 0, 0, false, NULL }, own), "%s from root", msg_name(own));
    }
    rig_down(&r);
}

static int answer_via(struct rig *r, uint32_t uid, const char *via, enum msg_type type)
{
    return answer_to(r, (struct ctl_peer){ uid, uid, false, NULL, via }, type);
}

/* A node's machine vouches for the users of its own jobs, while they run, and makes no user an administrator. */
static void test_vouched(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    const char *here = ctl_cluster(r.t)->node[rig_job(&r, id)->alloc.at[0].node].name;
    const char *elsewhere = str_eq(here, "n1") ? "n2" : "n1";
    const struct {
        uint32_t uid;
        const char *via;
        bool good;
        const char *name;
    } cases[] = {
        { ADA, here, true, "a user of a job on this node" },
        { BOB, here, false, "a user without a job on this node" },
        { ADA, elsewhere, false, "a user whose job is on another node" },
        { ADA, "n99", false, "a node that there is not" },
        { 0, here, false, "root of a node" },
        { 500, here, false, "SlurmUser of a node" },
        { BOB, "", true, "any user of a machine that may vouch for all" },
        { BOB, NULL, true, "any user of the controller's machine" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ok((answer_via(&r, cases[i].uid, cases[i].via, MSG_SUBMIT) != ESLURM_USER_ID_MISSING) == cases[i].good,
           "%s %s submit", cases[i].name, cases[i].good ? "may" : "may not");
        ok(answer_via(&r, cases[i].uid, cases[i].via, MSG_NODES) != ESLURM_USER_ID_MISSING, "%s may list nodes",
           cases[i].name);
    }
    ok(!access_has(r.t, &(struct ctl_peer){ 0, 0, false, NULL, here }, RIGHT_UPDATE_CLUSTER, NULL),
       "root of a node is no administrator");
    struct ctl_peer ada = { ADA, ADA, false, NULL, elsewhere };
    ok(access_identity(r.t, &ada).uid == ACCESS_NO_UID, "a user without the word of the node owns nothing");
    ada.via = here;
    ok(access_identity(r.t, &ada).uid == ADA, "a user of a job there is this user");
    rig_finish(&r, id, 0);
    ok(answer_via(&r, ADA, here, MSG_SUBMIT) == ESLURM_USER_ID_MISSING,
       "the node vouches for the user no more when the job has ended");
    rig_down(&r);
}

/* What an update of a node by root of a node's machine is answered. */
static int node_update(struct rig *r, const char *via, const char *node, const char *key, const char *value)
{
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair name = PB__PAIR__INIT, reason = PB__PAIR__INIT, more = PB__PAIR__INIT;
    Pb__Pair *pairs[] = { &name, &reason, &more };
    name.key = TEXT("NodeName"), name.value = TEXT(node);
    reason.key = TEXT("Reason"), reason.value = TEXT("GPU 3 fell off the bus");
    more.key = TEXT(key), more.value = TEXT(value);
    q.kind = PB__UPDATE_KIND__UPDATE_NODE;
    q.pairs = pairs, q.n_pairs = 3;
    rig_request(r, ASKER, (struct ctl_peer){ 0, 0, false, NULL, via }, MSG_UPDATE, &q.base);
    return rig_code(r);
}

static void test_own_drain(void)
{
    struct rig r;
    rig_up(&r);
    ok(node_update(&r, "n1", "n1", "State", "DRAIN") == 0, "root of a node drains the node");
    ok(ctl_cluster(r.t)->node[0].state & NODE_DRAIN, "and it is drained");
    ok(node_update(&r, "n1", "n1", "State", "RESUME") == ESLURM_USER_ID_MISSING, "but does not resume it");
    ok(node_update(&r, "n1", "n2", "State", "DRAIN") == ESLURM_USER_ID_MISSING, "drains no other node");
    ok(node_update(&r, "n1", "n[1-2]", "State", "DRAIN") == ESLURM_USER_ID_MISSING, "nor itself with another one");
    ok(node_update(&r, "n1", "n1", "Weight", "5") == ESLURM_USER_ID_MISSING, "and changes nothing else of it");
    ok(node_update(&r, "", "n2", "State", "DRAIN") == 0, "root of a trusted machine drains any node");
    rig_down(&r);
}

int main(void)
{
    test_rows();
    test_senders();
    test_vouched();
    test_own_drain();
    return test_done();
}
