/* link_hello - the exchange that opens a TCP link; see link_hello.h. */
#include "io/link_hello.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "wire/frame.h"

enum link_class link_peer_class(const struct link_peer *peer)
{
    switch (peer->use) {
    case CRED_CLIENT: return LINK_CLIENT;
    case CRED_AGENT: return LINK_AGENT;
    case CRED_RELAY: return LINK_AGENT;
    case CRED_PEER: return LINK_RAFT;
    default: return LINK_STRANGER;
    }
}

/* ---- server ---- */

void hello_serve(struct hello *h, const struct cred_key *key, unsigned uses, const uint8_t nonce[static CRED_NONCE_LEN],
                 struct buf *out)
{
    *h = (struct hello){ .stage = HELLO_CREDENTIAL, .key = key, .uses = uses };
    memcpy(h->nonce, nonce, CRED_NONCE_LEN);
    Pb__Challenge ch = PB__CHALLENGE__INIT;
    ch.nonce = (ProtobufCBinaryData){ sizeof(h->nonce), h->nonce };
    ch.version = SPUR_VERSION;
    frame_add_pb(out, MSG_CHALLENGE, 0, 0, &ch.base);
}

void hello_bind(struct hello *h, const uint8_t binding[static CRED_BINDING_LEN])
{
    h->bound = true;
    memcpy(h->binding, binding, CRED_BINDING_LEN);
    if (h->stage == HELLO_CREDENTIAL)
        cred_bind(h->nonce, binding);
}

static enum hello_verdict refuse(struct hello *h, const struct err *err, struct buf *out)
{
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = err->code;
    f.text = (char *)err->text;
    h->stage = HELLO_OVER;
    frame_add_pb(out, MSG_FAILURE, 0, 0, &f.base);
    return HELLO_REFUSED;
}

/* The use that the credential names: a signature is checked once, for it. */
static enum cred_use named_use(const Pb__Signed *s)
{
    Pb__Cred *c = pb__cred__unpack(NULL, s->body.len, s->body.data);
    bool other = c && (c->use == CRED_AGENT || c->use == CRED_PEER || c->use == CRED_RELAY);
    enum cred_use use = other ? (enum cred_use)c->use : CRED_CLIENT;
    if (c)
        pb__cred__free_unpacked(c, NULL);
    return use;
}

/* The credential, whichever of the four uses it was signed for; a wrong signature is told as a client's. */
static Pb__Cred *open_credential(const struct hello *h, const Pb__Signed *s, int64_t now_ms, struct err *err)
{
    enum cred_use use = CRED_CLIENT;
    if (h->key->trust)
        use = named_use(s);
    else if (cred_verify(h->key, CRED_AGENT, s))
        use = CRED_AGENT;
    else if (cred_verify(h->key, CRED_PEER, s))
        use = CRED_PEER;
    else if (cred_verify(h->key, CRED_RELAY, s))
        use = CRED_RELAY;
    return cred_open(h->key, s, use, h->nonce, now_ms, err);
}

/* The signature was found good before: its certificate is known. */
static bool vouched_by_node(const struct cred_key *key, const Pb__Signed *s)
{
    const struct cred_identity *by = key->trust->check(key->trust, s->cert.data, s->cert.len, NULL);
    return !by || (!cred_identity_has(by, CRED_ROLE_CONTROLLER, NULL) && !cred_identity_has(by, CRED_ROLE_HOST, NULL));
}

static const char *use_name(enum cred_use use)
{
    return use == CRED_PEER ? "controllers" : use == CRED_AGENT ? "nodes" : use == CRED_RELAY ? "relays" : "commands";
}

static bool admit(struct hello *h, const Pb__Hello *hello, const Pb__Cred *cred, struct err *err)
{
    enum cred_use use = (enum cred_use)cred->use;
    if (!(h->uses & HELLO_USE(use))) {
        err_set(err, EACCES, "connections of %s are not accepted here", use_name(use));
        return false;
    }
    h->peer = (struct link_peer){ .uid = cred->uid, .gid = cred->gid, .use = use, .raft_id = cred->raft_id,
                                  .level = cred->level, .wall_ms = cred->wall_ms };
    snprintf(h->peer.node, sizeof(h->peer.node), "%s", str_or(cred->node, ""));
    if ((use == CRED_CLIENT || use == CRED_RELAY) && h->key->trust && vouched_by_node(h->key, hello->cred))
        snprintf(h->peer.via, sizeof(h->peer.via), "%s", str_or(cred->host, ""));
    snprintf(h->address, sizeof(h->address), "%s", str_or(hello->address, ""));
    return true;
}

/* What a client that is refused said to be, for the log. */
static void note_claim(struct hello *h, const Pb__Signed *s)
{
    Pb__Cred *c = s ? pb__cred__unpack(NULL, s->body.len, s->body.data) : NULL;
    if (!c)
        return;
    if (c->use == CRED_AGENT)
        snprintf(h->claimed, sizeof(h->claimed), "node:%.64s", str_or(c->node, ""));
    else if (c->use == CRED_PEER)
        snprintf(h->claimed, sizeof(h->claimed), "controller:%llu", (unsigned long long)c->raft_id);
    else if (c->use == CRED_RELAY)
        snprintf(h->claimed, sizeof(h->claimed), "relay:%.64s", str_or(c->host, ""));
    else
        snprintf(h->claimed, sizeof(h->claimed), "user:%u@%.64s", c->uid, str_or(c->host, ""));
    pb__cred__free_unpacked(c, NULL);
}

static enum hello_verdict hear_credential(struct hello *h, const struct frame *f, int64_t now_ms, struct buf *out,
                                          struct err *err)
{
    Pb__Hello *hello = f->type == MSG_HELLO ? pb__hello__unpack(NULL, f->len, f->body) : NULL;
    Pb__Cred *cred = NULL;
    if (!hello || !hello->cred)
        err_set(err, EACCES, "a connection must begin with a credential");
    else
        cred = open_credential(h, hello->cred, now_ms, err);
    bool admitted = cred && admit(h, hello, cred, err);
    if (!admitted && hello)
        note_claim(h, hello->cred);
    if (cred)
        pb__cred__free_unpacked(cred, NULL);
    if (hello)
        pb__hello__free_unpacked(hello, NULL);
    if (!admitted)
        return refuse(h, err, out);
    h->stage = HELLO_OVER;
    return HELLO_OPEN;
}

/* ---- client ---- */

void hello_connect(struct hello *h, const struct link_claim *claim)
{
    *h = (struct hello){ .stage = HELLO_CHALLENGE, .claim = *claim };
}

static enum hello_verdict hang_up(struct hello *h)
{
    h->stage = HELLO_OVER;
    return HELLO_REFUSED;
}

enum hello_verdict hello_sign(struct hello *h, const void *cred, size_t len, struct buf *out, struct err *err)
{
    Pb__Hello hello = PB__HELLO__INIT;
    hello.cred = h->stage == HELLO_ANSWER ? pb__signed__unpack(NULL, len, cred) : NULL;
    if (!hello.cred) {
        err_set(err, EPROTO, "the credential does not parse");
        return hang_up(h);
    }
    hello.version = SPUR_VERSION;
    hello.address = (char *)h->claim.address;
    frame_add_pb(out, MSG_HELLO, 0, 0, &hello.base);
    pb__signed__free_unpacked(hello.cred, NULL);
    h->stage = h->claim.use == CRED_PEER ? HELLO_ACCEPT : HELLO_OVER;
    return h->claim.use == CRED_PEER ? HELLO_MORE : HELLO_OPEN;
}

static enum hello_verdict sign_own(struct hello *h, int64_t now_ms, struct buf *out, struct err *err)
{
    auto_buf struct buf packed = BUF_INIT;
    Pb__Cred cred = PB__CRED__INIT;
    cred.uid = h->claim.uid;
    cred.gid = h->claim.gid;
    cred.issued_ms = now_ms;
    cred.expires_ms = now_ms + CRED_TTL_MS;
    cred.nonce = (ProtobufCBinaryData){ sizeof(h->nonce), h->nonce };
    cred.use = h->claim.use;
    cred.node = (char *)h->claim.node;
    cred.host = (char *)(h->claim.use == CRED_RELAY ? h->claim.node : NULL);
    cred.raft_id = h->claim.raft_id;
    cred.level = h->claim.level;
    cred.wall_ms = h->claim.wall_ms;
    cred_make(h->claim.key, &cred, &packed);
    return hello_sign(h, packed.s, packed.len, out, err);
}

static enum hello_verdict hear_challenge(struct hello *h, const struct frame *f, int64_t now_ms, struct buf *out,
                                         struct err *err)
{
    Pb__Challenge *ch = f->type == MSG_CHALLENGE ? pb__challenge__unpack(NULL, f->len, f->body) : NULL;
    bool good = ch && ch->nonce.len == CRED_NONCE_LEN;
    if (good)
        memcpy(h->nonce, ch->nonce.data, CRED_NONCE_LEN);
    if (good && h->bound)
        cred_bind(h->nonce, h->binding);
    if (ch)
        pb__challenge__free_unpacked(ch, NULL);
    if (!good) {
        err_set(err, EPROTO, "the other side does not speak Spur's protocol");
        return hang_up(h);
    }
    h->stage = HELLO_ANSWER;
    return cred_can_sign(h->claim.key) ? sign_own(h, now_ms, out, err) : HELLO_SIGN;
}

static enum hello_verdict hear_accept(struct hello *h, const char *in, size_t len, size_t *used, struct err *err)
{
    if (!len)
        return HELLO_MORE;
    if (*in != HELLO_ACCEPTED) {
        err_set(err, EACCES, "the other controller refused the connection");
        return hang_up(h);
    }
    *used = 1;
    h->stage = HELLO_OVER;
    return HELLO_OPEN;
}

/* ---- both ---- */

enum hello_verdict hello_step(struct hello *h, const void *in, size_t len, size_t *used, int64_t now_ms,
                              struct buf *out, struct err *err)
{
    struct frame f;
    *used = 0;
    if (h->stage == HELLO_ACCEPT)
        return hear_accept(h, in, len, used, err);
    if (h->stage == HELLO_OVER || h->stage == HELLO_ANSWER) {
        err_set(err, EPROTO, "the hello exchange is over");
        return hang_up(h);
    }
    int rc = frame_find(in, len, FRAME_MAX_HELLO, &f, used, err);
    if (rc < 0)
        return hang_up(h);
    if (!rc)
        return HELLO_MORE;
    if (h->stage == HELLO_CHALLENGE)
        return hear_challenge(h, &f, now_ms, out, err);
    return hear_credential(h, &f, now_ms, out, err);
}
