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
        ok(!access_rows[r].of_job || !(may & (MAY(REL_OTHER) | MAY(REL_AGENT))), "%s: no right of all users on a job",
           access_rows[r].name);
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

int main(void)
{
    test_rows();
    test_senders();
    return test_done();
}
