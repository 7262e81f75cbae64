/* hello: the exchange opens a link for the right credential, however the bytes are split, and for no other. */
#include "io/link_hello.h"

#include "test.h"
#include "wire/frame.h"

#define NOW_MS 1000000000

static const struct cred_key key = { "the key of this cluster" }, other_key = { "the key of another cluster" };
static const uint8_t nonce[CRED_NONCE_LEN] = "0123456789abcde", old_nonce[CRED_NONCE_LEN] = "fedcba987654321";
static const unsigned all = HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT) | HELLO_USE(CRED_PEER);

/* ---- a conversation between both roles, `step` bytes at a time ---- */

static enum hello_verdict feed(struct hello *h, struct buf *in, size_t step, struct buf *out, struct err *err)
{
    enum hello_verdict v = HELLO_MORE;
    auto_buf struct buf some = BUF_INIT;
    for (size_t at = 0; at < in->len && v == HELLO_MORE; at += step) {
        size_t used;
        buf_add(&some, in->s + at, MIN(step, in->len - at));
        do {
            v = hello_step(h, some.s, some.len, &used, NOW_MS, out, err);
            buf_cut(&some, used);
        } while (v == HELLO_MORE && used);
    }
    buf_reset(in);
    return v;
}

static void test_splits(void)
{
    struct link_claim claim = { &key, CRED_AGENT, "n1", 0, NULL, 12, 34 };
    bool good = true;
    for (size_t step = 1; step < 200; step++) {
        auto_buf struct buf to_client = BUF_INIT, to_server = BUF_INIT, none = BUF_INIT;
        struct err err = ERR_INIT;
        struct hello server, client;
        hello_serve(&server, &key, all, nonce, &to_client);
        hello_connect(&client, &claim);
        good &= feed(&client, &to_client, step, &to_server, &err) == HELLO_OPEN;
        good &= feed(&server, &to_server, step, &none, &err) == HELLO_OPEN && !none.len;
        good &= server.peer.use == CRED_AGENT && server.peer.uid == 12 && server.peer.gid == 34 &&
                !strcmp(server.peer.node, "n1") && !server.peer.local;
    }
    ok(good, "every split of the exchange gives the same identity");
}

static void test_controllers(void)
{
    struct link_claim claim = { &key, CRED_PEER, NULL, 3, "[::1]:6820", 0, 0 };
    auto_buf struct buf to_client = BUF_INIT, to_server = BUF_INIT, none = BUF_INIT;
    struct err err = ERR_INIT;
    struct hello server, client;
    size_t used;
    hello_serve(&server, &key, all, nonce, &to_client);
    hello_connect(&client, &claim);
    ok(feed(&client, &to_client, 1000, &to_server, &err) == HELLO_MORE, "a controller waits to be accepted");
    ok(feed(&server, &to_server, 1000, &none, &err) == HELLO_OPEN && server.peer.raft_id == 3, "it is recognised");
    is_str(server.address, "[::1]:6820", "and says where it listens");
    struct hello again = client;
    ok(hello_step(&client, "R", 1, &used, NOW_MS, &none, &err) == HELLO_OPEN && used == 1, "accepted by one byte");
    ok(hello_step(&again, "\x10", 1, &used, NOW_MS, &none, &err) == HELLO_REFUSED, "any other byte is a refusal");
}

/* ---- credentials that must not open anything ---- */

struct bad {
    const char *what;
    const struct cred_key *key;
    enum cred_use sign, use; /* the use it is signed for, and the one it names */
    const uint8_t *nonce;
    int64_t issued_ms, expires_ms;
    unsigned uses;
    const char *says;
};

static void add_hello(struct buf *out, const struct bad *b)
{
    auto_buf struct buf body = BUF_INIT, packed = BUF_INIT;
    Pb__Cred cred = PB__CRED__INIT;
    cred.uid = 1000;
    cred.use = b->use;
    cred.nonce = (ProtobufCBinaryData){ CRED_NONCE_LEN, (uint8_t *)b->nonce };
    cred.issued_ms = b->issued_ms;
    cred.expires_ms = b->expires_ms;
    size_t n = pb__cred__get_packed_size(&cred);
    pb__cred__pack(&cred, (uint8_t *)buf_room(&body, n));
    cred_sign(b->key, b->sign, body.s, n, &packed);
    Pb__Hello hello = PB__HELLO__INIT;
    hello.cred = pb__signed__unpack(NULL, packed.len, (uint8_t *)packed.s);
    frame_add_pb(out, MSG_HELLO, 0, 0, &hello.base);
    pb__signed__free_unpacked(hello.cred, NULL);
}

static bool has_failure(const struct buf *out, const char *says)
{
    struct frame f;
    size_t used;
    if (frame_find(out->s, out->len, FRAME_MAX_HELLO, &f, &used, NULL) != 1 || f.type != MSG_FAILURE)
        return false;
    Pb__Failure *m = pb__failure__unpack(NULL, f.len, f.body);
    bool has = m && m->code == EACCES && strstr(m->text, says);
    if (m)
        pb__failure__free_unpacked(m, NULL);
    return has;
}

static void test_refusals(void)
{
    static const struct bad cases[] = {
        { "wrong key", &other_key, CRED_CLIENT, CRED_CLIENT, nonce, NOW_MS, NOW_MS + 9, all, "signature" },
        { "expired", &key, CRED_CLIENT, CRED_CLIENT, nonce, NOW_MS - 99, NOW_MS - 1, all, "out of date" },
        { "from the future", &key, CRED_CLIENT, CRED_CLIENT, nonce, NOW_MS + CRED_TTL_MS + 1, NOW_MS + 999999, all,
          "out of date" },
        { "replayed on another link", &key, CRED_CLIENT, CRED_CLIENT, old_nonce, NOW_MS, NOW_MS + 9, all,
          "another connection" },
        { "signed for a client, names an agent", &key, CRED_CLIENT, CRED_AGENT, nonce, NOW_MS, NOW_MS + 9, all,
          "another use" },
        { "signed for an agent, names a client", &key, CRED_AGENT, CRED_CLIENT, nonce, NOW_MS, NOW_MS + 9, all,
          "another use" },
        { "signed for a launch", &key, CRED_LAUNCH, CRED_LAUNCH, nonce, NOW_MS, NOW_MS + 9, all, "signature" },
        { "signed for a step's streams", &key, CRED_IO, CRED_CLIENT, nonce, NOW_MS, NOW_MS + 9, all, "signature" },
        { "a controller where none is let in", &key, CRED_PEER, CRED_PEER, nonce, NOW_MS, NOW_MS + 9,
          HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT), "not accepted" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_buf struct buf challenge = BUF_INIT, in = BUF_INIT, out = BUF_INIT;
        struct err err = ERR_INIT;
        struct hello h;
        size_t used;
        hello_serve(&h, &key, cases[i].uses, nonce, &challenge);
        add_hello(&in, &cases[i]);
        ok(hello_step(&h, in.s, in.len, &used, NOW_MS, &out, &err) == HELLO_REFUSED && !h.peer.use &&
               has_failure(&out, cases[i].says) && err.code == EACCES,
           "refused with its reason: %s", cases[i].what);
        ok(hello_step(&h, in.s, in.len, &used, NOW_MS, &out, &err) == HELLO_REFUSED, "and for good");
    }
}

static void test_first_words(void)
{
    static const struct {
        enum msg_type type;
        size_t len;
        enum hello_verdict want;
        const char *what;
    } cases[] = {
        { MSG_JOBS, 0, HELLO_REFUSED, "a request before identity is refused" },
        { MSG_HELLO, 0, HELLO_REFUSED, "a hello without a credential is refused" },
        { MSG_HELLO, FRAME_MAX_HELLO, HELLO_REFUSED, "a hello of 4 KiB that does not parse is refused" },
        { MSG_HELLO, FRAME_MAX_HELLO + 1, HELLO_REFUSED, "a longer one is refused by its header" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_buf struct buf challenge = BUF_INIT, in = BUF_INIT, out = BUF_INIT;
        auto_free char *body = mem_alloc(cases[i].len + 1);
        memset(body, 0xff, cases[i].len);
        struct err err = ERR_INIT;
        struct hello h;
        size_t used, seen = 0;
        enum hello_verdict v = HELLO_MORE;
        hello_serve(&h, &key, all, nonce, &challenge);
        frame_add(&in, cases[i].type, 0, 0, body, cases[i].len);
        while (v == HELLO_MORE && seen < in.len)
            v = hello_step(&h, in.s, ++seen, &used, NOW_MS, &out, &err);
        ok(v == cases[i].want && err.code, "%s", cases[i].what);
        if (cases[i].len > FRAME_MAX_HELLO)
            is_int(seen, FRAME_HEADER, "before a byte of its body came");
    }
}

/* ---- a client that cannot sign ---- */

static void test_signed_by_another(void)
{
    struct link_claim claim = { NULL, CRED_CLIENT, NULL, 0, NULL, 0, 0 };
    auto_buf struct buf to_client = BUF_INIT, to_server = BUF_INIT, packed = BUF_INIT, none = BUF_INIT;
    struct err err = ERR_INIT;
    struct hello server, client;
    hello_serve(&server, &key, all, nonce, &to_client);
    hello_connect(&client, &claim);
    ok(feed(&client, &to_client, 3, &to_server, &err) == HELLO_SIGN && !to_server.len &&
           !memcmp(client.nonce, nonce, CRED_NONCE_LEN),
       "a client without the key asks for a credential for the server's nonce");
    struct hello spoilt = client;
    ok(hello_sign(&spoilt, "\xff", 1, &none, &err) == HELLO_REFUSED && !none.len, "a broken credential is not sent");
    Pb__Cred cred = PB__CRED__INIT;
    cred.uid = 1000;
    cred.use = CRED_CLIENT;
    cred.issued_ms = NOW_MS;
    cred.expires_ms = NOW_MS + 1;
    cred.nonce = (ProtobufCBinaryData){ CRED_NONCE_LEN, client.nonce };
    cred_make(&key, &cred, &packed);
    ok(hello_sign(&client, packed.s, packed.len, &to_server, &err) == HELLO_OPEN, "the daemon's credential opens");
    ok(feed(&server, &to_server, 7, &none, &err) == HELLO_OPEN && server.peer.uid == 1000, "as the user it names");
    ok(hello_sign(&client, packed.s, packed.len, &none, &err) == HELLO_REFUSED, "once");
}

static void test_not_spur(void)
{
    static const struct {
        enum msg_type type;
        uint8_t body[24];
        size_t len;
        const char *what;
    } cases[] = {
        { MSG_DONE, { 0 }, 0, "another message" },
        { MSG_CHALLENGE, { 0x0a, 2, 'x', 'y' }, 4, "a short nonce" },
        { MSG_CHALLENGE, { 0x0a, 0x7f }, 2, "a challenge that does not parse" },
    };
    struct link_claim claim = { &key, CRED_CLIENT, NULL, 0, NULL, 0, 0 };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_buf struct buf in = BUF_INIT, out = BUF_INIT;
        struct err err = ERR_INIT;
        struct hello h;
        hello_connect(&h, &claim);
        frame_add(&in, cases[i].type, 0, 0, cases[i].body, cases[i].len);
        ok(feed(&h, &in, 100, &out, &err) == HELLO_REFUSED && !out.len, "no credential is sent after %s",
           cases[i].what);
    }
}

int main(void)
{
    test_splits();
    test_controllers();
    test_refusals();
    test_first_words();
    test_signed_by_another();
    test_not_spur();
    return test_done();
}
