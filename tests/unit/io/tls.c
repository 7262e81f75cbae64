/* tls: a handshake succeeds with the right certificates, however its bytes are split, and with no others; what a server
 * relays is of no use. */
#include "io/tls.h"

#include "io/link_hello.h"
#include "keyring.h"
#include "test.h"

#define NOW_MS 1000000000

static struct cred_key controller, node, stranger;

/* ---- two machines in memory ---- */

struct pair {
    struct tls *client, *server;
    struct err client_err, server_err;
};

static void pair_clear(struct pair *p)
{
    tls_free(p->client);
    tls_free(p->server);
}
#define auto_pair __attribute__((cleanup(pair_clear)))

/* Carry what `from` has to say to `to`, `step` bytes at a time; the last verdict of `to`'s handshake. */
static int carry(struct tls *from, struct tls *to, size_t step, struct err *err)
{
    auto_buf struct buf bytes = *tls_out(from);
    int rc = EAGAIN;
    *tls_out(from) = (struct buf)BUF_INIT;
    for (size_t at = 0; at < bytes.len && (rc == EAGAIN || !rc); at += step) {
        tls_feed(to, bytes.s + at, MIN(step, bytes.len - at));
        rc = tls_handshake(to, err);
    }
    return rc;
}

static bool shake(struct pair *p, size_t step)
{
    int c = tls_handshake(p->client, &p->client_err), s = EAGAIN;
    for (int round = 0; round < 4 && (c == EAGAIN || s == EAGAIN); round++) {
        if (s == EAGAIN)
            s = carry(p->client, p->server, step, &p->server_err);
        if (c == EAGAIN)
            c = carry(p->server, p->client, step, &p->client_err);
    }
    if (!c && s == EAGAIN)
        s = carry(p->client, p->server, step, &p->server_err);
    return !c && !s;
}

/* ---- handshakes ---- */

static void test_splits(void)
{
    bool good = true;
    for (size_t step = 1; step < 700; step += step < 40 ? 1 : 97) {
        auto_pair struct pair p = { tls_connect(&node, CRED_ROLE_CONTROLLER, "1"), tls_serve(&controller) };
        uint8_t a[CRED_BINDING_LEN], b[CRED_BINDING_LEN];
        good &= shake(&p, step);
        tls_binding(p.client, a);
        tls_binding(p.server, b);
        good &= !memcmp(a, b, sizeof(a));
    }
    ok(good, "every split of the handshake ends in the same connection on both sides");
}

static void test_refused_servers(void)
{
    static const struct {
        const struct cred_key *server;
        enum cred_role role;
        const char *name, *says, *what;
    } cases[] = {
        { &controller, CRED_ROLE_CONTROLLER, "2", "controller/1", "another controller" },
        { &node, CRED_ROLE_CONTROLLER, NULL, "agent/n1", "a node instead of a controller" },
        { &node, CRED_ROLE_AGENT, "n2", "agent/n1", "another node" },
        { &controller, CRED_ROLE_AGENT, "n1", "controller/1", "a controller instead of a node" },
        { &stranger, CRED_ROLE_CONTROLLER, NULL, "CA", "a controller of another CA" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_pair struct pair p = { tls_connect(&node, cases[i].role, cases[i].name), tls_serve(cases[i].server) };
        ok(!shake(&p, 4096) && p.client_err.code == EACCES && strstr(p.client_err.text, cases[i].says),
           "refused: %s: %s", cases[i].what, p.client_err.text);
    }
}

static void test_data(void)
{
    auto_pair struct pair p = { tls_connect(&node, CRED_ROLE_CONTROLLER, NULL), tls_serve(&controller) };
    auto_buf struct buf sent = BUF_INIT, came = BUF_INIT;
    size_t n;
    ok(shake(&p, 4096), "any controller will do where none is named");
    for (int i = 0; i < 50000; i++)
        buf_addf(&sent, "%d ", i);
    ok(!tls_write(p.client, sent.s, sent.len, &n, NULL) && n == sent.len, "in memory everything is taken");
    auto_buf struct buf wire = *tls_out(p.client);
    *tls_out(p.client) = (struct buf)BUF_INIT;
    ok(!memmem(wire.s, wire.len, "49998 49999", 11), "the bytes on the wire are not the bytes inside");
    tls_feed(p.server, wire.s, wire.len);
    while (!tls_read(p.server, buf_room(&came, TLS_RECORD), TLS_RECORD, &n, NULL))
        came.len += n;
    ok(came.len == sent.len && !memcmp(came.s, sent.s, sent.len), "and come out as they went in");
}

static void test_damage(void)
{
    struct err err = ERR_INIT;
    char room[100];
    size_t n;
    for (int flip = 0; flip < 2; flip++) {
        auto_pair struct pair p = { tls_connect(&node, CRED_ROLE_CONTROLLER, NULL), tls_serve(&controller) };
        shake(&p, 4096);
        tls_write(p.client, "twelve bytes", 12, &n, NULL);
        auto_buf struct buf wire = *tls_out(p.client);
        *tls_out(p.client) = (struct buf)BUF_INIT;
        wire.s[wire.len - 1] ^= (char)flip;
        tls_feed(p.server, wire.s, wire.len - !flip);
        int rc = tls_read(p.server, room, sizeof(room), &n, &err);
        ok(!n && rc == (flip ? EPROTO : EAGAIN), flip ? "a changed record ends the connection" :
           "a record without its last byte gives nothing");
    }
}

static void test_no_tls(void)
{
    auto_pair struct pair p = { tls_connect(&node, CRED_ROLE_CONTROLLER, NULL), tls_serve(&controller) };
    struct err err = ERR_INIT;
    tls_feed(p.server, "SPUR says something that is no handshake", 40);
    ok(tls_handshake(p.server, &err) == EPROTO && strstr(err.text, "TLS"), "bytes without TLS are refused: %s",
       err.text);
}

/* ---- a secret ---- */

static void test_secret(void)
{
    auto_pair struct pair p = { tls_connect_secret("0123456789abcdef", 16), tls_serve_secret("0123456789abcdef", 16) };
    ok(shake(&p, 7), "both sides know the token: they are connected without certificates%s%s", p.client_err.text,
       p.server_err.text);
    auto_pair struct pair q = { tls_connect_secret("0123456789abcdef", 16), tls_serve_secret("0123456789abcdeF", 16) };
    ok(!shake(&q, 4096), "another token does not connect");
    auto_pair struct pair r = { tls_connect_secret("0123456789abcdef", 16), tls_serve(&controller) };
    ok(!shake(&r, 4096), "a certificate is no token");
    auto_pair struct pair s = { tls_connect(&node, CRED_ROLE_CONTROLLER, NULL),
                                tls_serve_secret("0123456789abcdef", 16) };
    ok(!shake(&s, 4096), "nor a token a certificate");
}

/* ---- the hello exchange inside ---- */

static const unsigned all = HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT) | HELLO_USE(CRED_PEER);

/* The server's verdict about a client with this claim; the server is on `there`, the client's TLS connection `here`. */
static enum hello_verdict exchange(const struct link_claim *claim, struct tls *here, struct tls *there,
                                   struct link_peer *peer, struct err *err)
{
    static const uint8_t nonce[CRED_NONCE_LEN] = "0123456789abcde";
    uint8_t binding[CRED_BINDING_LEN];
    auto_buf struct buf challenge = BUF_INIT, answer = BUF_INIT, reply = BUF_INIT;
    struct hello server, client;
    size_t used;
    hello_serve(&server, &controller, all, nonce, &challenge);
    tls_binding(there, binding);
    hello_bind(&server, binding);
    hello_connect(&client, claim);
    tls_binding(here, binding);
    hello_bind(&client, binding);
    hello_step(&client, challenge.s, challenge.len, &used, NOW_MS, &answer, err);
    enum hello_verdict v = hello_step(&server, answer.s, answer.len, &used, NOW_MS, &reply, err);
    *peer = server.peer;
    return v;
}

static void test_hello(void)
{
    static struct cred_key host, other;
    host = keyring_machine("ca", "host", "host/login");
    other = keyring_machine("ca", "other", "agent/n2");
    const struct {
        struct link_claim claim;
        bool open;
        const char *says, *what;
    } cases[] = {
        { { .key = &node, .use = CRED_AGENT, .node = "n1" }, true, "", "a node as itself" },
        { { .key = &other, .use = CRED_AGENT, .node = "n1" }, false, "another node", "a node as another node" },
        { { .key = &node, .use = CRED_PEER, .raft_id = 1 }, false, "may not sign", "a node as a controller" },
        { { .key = &controller, .use = CRED_PEER, .raft_id = 1 }, true, "", "a controller as itself" },
        { { .key = &controller, .use = CRED_PEER, .raft_id = 2 }, false, "another controller",
          "a controller as another one" },
        { { .key = &controller, .use = CRED_AGENT, .node = "n1" }, false, "may not sign", "a controller as a node" },
        { { .key = &host, .use = CRED_CLIENT, .uid = 1000 }, true, "", "a user of a login host" },
        { { .key = &host, .use = CRED_CLIENT }, true, "", "root of a login host" },
        { { .key = &node, .use = CRED_CLIENT }, false, "another node", "root of a node" },
        { { .key = &stranger, .use = CRED_CLIENT, .uid = 1000 }, false, "CA", "a user of another cluster" },
    };
    auto_pair struct pair p = { tls_connect(&node, CRED_ROLE_CONTROLLER, NULL), tls_serve(&controller) };
    shake(&p, 4096);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        struct link_peer peer;
        enum hello_verdict v = exchange(&cases[i].claim, p.client, p.server, &peer, &err);
        ok(v == (cases[i].open ? HELLO_OPEN : HELLO_REFUSED) && (cases[i].open || strstr(err.text, cases[i].says)),
           "%s is %s %s", cases[i].what, cases[i].open ? "accepted" : "refused:", err.text);
    }
    keys_close(&host);
    keys_close(&other);
}

/* A server that an agent connects to answers the challenge of another server with the agent's credential. */
static void test_relay(void)
{
    auto_pair struct pair real = { tls_connect(&node, CRED_ROLE_CONTROLLER, NULL), tls_serve(&controller) };
    auto_pair struct pair mine = { tls_connect(&node, CRED_ROLE_CONTROLLER, NULL), tls_serve(&controller) };
    struct link_claim claim = { .key = &node, .use = CRED_AGENT, .node = "n1" };
    struct err err = ERR_INIT;
    struct link_peer peer;
    shake(&real, 4096);
    shake(&mine, 4096);
    ok(exchange(&claim, mine.client, real.server, &peer, &err) == HELLO_REFUSED &&
           strstr(err.text, "another connection") && !peer.use,
       "a relayed challenge is not answered for another connection: %s", err.text);
}

/* A daemon on node n1 signs for a user of its machine. */
static void test_vouched(void)
{
    static const uint8_t nonce[CRED_NONCE_LEN] = "0123456789abcde";
    struct cred_key many = keyring_machine("ca", "many", "agent/*");
    const struct {
        const struct cred_key *key;
        uint32_t uid;
        const char *host;
        bool good;
        const char *what;
    } cases[] = {
        { &node, 1000, "n1", true, "a node vouches for a user" },
        { &node, 0, "n1", false, "not for root" },
        { &node, 1000, "n2", false, "not in another node's name" },
        { &many, 1000, "n2", true, "a machine of many nodes vouches in the name of each" },
        { &many, 1000, "", false, "not without a name" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_buf struct buf packed = BUF_INIT;
        struct err err = ERR_INIT;
        Pb__Cred cred = PB__CRED__INIT;
        cred.uid = cases[i].uid;
        cred.host = (char *)cases[i].host;
        cred.use = CRED_CLIENT;
        cred.issued_ms = NOW_MS;
        cred.expires_ms = NOW_MS + 1;
        cred.nonce = (ProtobufCBinaryData){ CRED_NONCE_LEN, (uint8_t *)nonce };
        cred_make(cases[i].key, &cred, &packed);
        Pb__Signed *s = pb__signed__unpack(NULL, packed.len, (uint8_t *)packed.s);
        Pb__Cred *c = cred_open(&controller, s, CRED_CLIENT, nonce, NOW_MS, &err);
        ok(!c == !cases[i].good, "%s %s", cases[i].what, err.text);
        if (c)
            pb__cred__free_unpacked(c, NULL);
        pb__signed__free_unpacked(s, NULL);
    }
    keys_close(&many);
}

static void test_orders(void)
{
    for (enum cred_use use = CRED_LAUNCH; use <= CRED_KILL; use++) {
        if (use == CRED_IO)
            continue;
        auto_buf struct buf by_node = BUF_INIT, by_controller = BUF_INIT;
        cred_sign(&node, use, "an order", 8, &by_node);
        cred_sign(&controller, use, "an order", 8, &by_controller);
        Pb__Signed *n = pb__signed__unpack(NULL, by_node.len, (uint8_t *)by_node.s);
        Pb__Signed *c = pb__signed__unpack(NULL, by_controller.len, (uint8_t *)by_controller.s);
        ok(!cred_verify(&node, use, n) && cred_verify(&node, use, c), "use %d: controllers sign orders, nodes do not",
           use);
        ok(!cred_verify(&node, use == CRED_KILL ? CRED_LAUNCH : CRED_KILL, c), "for one use");
        c->signature.data[3] ^= 1;
        ok(!cred_verify(&node, use, c), "a changed signature is none");
        pb__signed__free_unpacked(n, NULL);
        pb__signed__free_unpacked(c, NULL);
    }
}

int main(void)
{
    controller = keyring_machine("ca", "controller", "controller/1");
    node = keyring_machine("ca", "node", "agent/n1");
    stranger = keyring_machine("false-ca", "stranger", "controller/1");
    test_splits();
    test_refused_servers();
    test_data();
    test_damage();
    test_no_tls();
    test_secret();
    test_hello();
    test_relay();
    test_vouched();
    test_orders();
    keys_close(&controller);
    keys_close(&node);
    keys_close(&stranger);
    keyring_remove();
    return test_done();
}
