/* permit - a permit is valid for the user, the nodes and the time that a controller signed. */
#include "base/errnum.h"
#include "node/permit.h"
#include "test.h"

#define NOW 1000000

static struct cred_key key = { { 7 } }, other = { { 9 } };

/* A controller's permit for user 1000 on n[1-3]. */
static Pb__Signed *make(const struct cred_key *with, enum cred_use use, int64_t issued_ms)
{
    Pb__Permit p = PB__PERMIT__INIT;
    p.job_id = 5;
    p.uid = 1000;
    p.gid = 100;
    p.nodes = "n[1-3]";
    p.issued_ms = issued_ms;
    p.expires_ms = issued_ms + 300000;
    auto_buf struct buf body = BUF_INIT, out = BUF_INIT;
    size_t n = pb__permit__get_packed_size(&p);
    pb__permit__pack(&p, (uint8_t *)buf_room(&body, n));
    cred_sign(with, use, body.s, n, &out);
    return pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
}

static int opened(Pb__Signed *s, const char *node, const struct link_peer *peer, int64_t now_ms)
{
    struct err err = ERR_INIT;
    Pb__Permit *p = permit_open(&key, s, node, peer, now_ms, &err);
    int rc = p ? 0 : err.code ? err.code : -1;
    if (p)
        pb__permit__free_unpacked(p, NULL);
    if (s)
        pb__signed__free_unpacked(s, NULL);
    return rc;
}

int main(void)
{
    struct link_peer owner = { .uid = 1000, .use = CRED_CLIENT }, stranger = { .uid = 1001, .use = CRED_CLIENT };
    struct link_peer root = { .uid = 0, .use = CRED_CLIENT }, agent = { .uid = 0, .use = CRED_AGENT };
    is_int(opened(make(&key, CRED_PERMIT, NOW), "n2", &owner, NOW + 1), 0, "its user is let in");
    is_int(opened(make(&key, CRED_PERMIT, NOW), "n2", &agent, NOW + 1), 0, "and an agent that passes it on");
    is_int(opened(make(&key, CRED_PERMIT, NOW), "n2", &stranger, NOW + 1), ESLURM_USER_ID_MISSING,
           "another user is not");
    is_int(opened(make(&key, CRED_PERMIT, NOW), "n2", &root, NOW + 1), ESLURM_USER_ID_MISSING,
           "not even root with another's permit: whose file would it be?");
    is_int(opened(make(&key, CRED_PERMIT, NOW), "n4", &owner, NOW + 1), ESLURM_INVALID_NODE_NAME,
           "not on another node");
    is_int(opened(make(&key, CRED_PERMIT, NOW), "n2", &owner, NOW + 300001), ETIME, "not when it is over");
    is_int(opened(make(&key, CRED_PERMIT, NOW + 600000), "n2", &owner, NOW), ETIME, "not before it is made");
    is_int(opened(make(&other, CRED_PERMIT, NOW), "n2", &owner, NOW + 1), ESLURM_INVALID_JOB_CREDENTIAL,
           "not with another cluster's key");
    is_int(opened(make(&key, CRED_LAUNCH, NOW), "n2", &owner, NOW + 1), ESLURM_INVALID_JOB_CREDENTIAL,
           "a signature for something else is none");
    is_int(opened(NULL, "n2", &owner, NOW + 1), ESLURM_INVALID_JOB_CREDENTIAL, "nor is none at all");
    Pb__Signed *bent = make(&key, CRED_PERMIT, NOW);
    bent->body.data[bent->body.len / 2] ^= 1;
    is_int(opened(bent, "n2", &owner, NOW + 1), ESLURM_INVALID_JOB_CREDENTIAL, "one bit is enough");
    return test_done();
}
