/*
 * handshake - what it costs to open a connection with TLS, in memory: both sides step by step, each side's time apart.
 *
 *     handshake COUNT
 *
 * Prints "server N", "client N", "sign N" and "verify N": how many a second one thread does of each side's part (TLS
 * 1.3, certificate, challenge, credential), and of signatures of an order with their verification.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "io/link_hello.h"
#include "io/tls.h"
#include "keyring.h"

#define ORDER_BYTES 1500 /* of a launch order with an ordinary environment */

struct side {
    struct tls *tls;
    struct hello hello;
    bool open;
    int64_t us;
};

static void fail(const char *what, const struct err *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    exit(1);
}

/* The handshake is over: the exchange goes on inside.  The server begins it. */
static void begin_hello(struct side *s, bool server, const struct cred_key *key)
{
    uint8_t binding[CRED_BINDING_LEN], nonce[CRED_NONCE_LEN];
    auto_buf struct buf out = BUF_INIT;
    struct link_claim claim = { .key = key, .use = CRED_AGENT, .node = "n1" };
    size_t n;
    tls_binding(s->tls, binding);
    cred_random(nonce, sizeof(nonce));
    if (server)
        hello_serve(&s->hello, key, HELLO_USE(CRED_AGENT), nonce, &out);
    else
        hello_connect(&s->hello, &claim);
    hello_bind(&s->hello, binding);
    if (out.len)
        tls_write(s->tls, out.s, out.len, &n, NULL);
}

static void read_hello(struct side *s)
{
    static char plain[TLS_RECORD];
    struct err err = ERR_INIT;
    size_t n, used;
    while (!s->open && !tls_read(s->tls, plain, sizeof(plain), &n, NULL)) {
        auto_buf struct buf out = BUF_INIT;
        enum hello_verdict v = hello_step(&s->hello, plain, n, &used, clock_wall_ms(), &out, &err);
        if (v == HELLO_REFUSED)
            fail("hello", &err);
        if (out.len)
            tls_write(s->tls, out.s, out.len, &n, NULL);
        s->open = v == HELLO_OPEN;
    }
}

/* `to` takes what `from` has sent, and answers. */
static void step(struct side *from, struct side *to, bool server, const struct cred_key *key)
{
    auto_buf struct buf bytes = *tls_out(from->tls);
    struct err err = ERR_INIT;
    *tls_out(from->tls) = (struct buf)BUF_INIT;
    int64_t begun_us = clock_mono_us();
    bool was_open = tls_is_open(to->tls);
    tls_feed(to->tls, bytes.s, bytes.len);
    int rc = was_open ? 0 : tls_handshake(to->tls, &err);
    if (rc && rc != EAGAIN)
        fail("TLS", &err);
    if (!rc && !was_open)
        begin_hello(to, server, key);
    if (!rc)
        read_hello(to);
    to->us += clock_mono_us() - begun_us;
}

static void open_one(const struct cred_key *controller, const struct cred_key *node, int64_t us[static 2])
{
    struct side server = { 0 }, client = { 0 };
    int64_t begun_us = clock_mono_us();
    server.tls = tls_serve(controller);
    server.us = clock_mono_us() - begun_us;
    begun_us = clock_mono_us();
    client.tls = tls_connect(node, CRED_ROLE_CONTROLLER, NULL);
    tls_handshake(client.tls, NULL);
    client.us = clock_mono_us() - begun_us;
    for (int round = 0; round < 8 && !(server.open && client.open); round++) {
        step(&client, &server, true, controller);
        step(&server, &client, false, node);
    }
    if (!server.open || !client.open)
        fail("the exchange", &(struct err)ERR_INIT);
    us[0] += server.us;
    us[1] += client.us;
    tls_free(server.tls);
    tls_free(client.tls);
}

static void print_rate(const char *what, int count, int64_t us)
{
    printf("%s %.0f\n", what, count * 1e6 / (double)(us ? us : 1));
}

static void signatures(const struct cred_key *controller, const struct cred_key *node, int count)
{
    static char order[ORDER_BYTES];
    int64_t sign_us = 0, verify_us = 0;
    for (int i = 0; i < count; i++) {
        auto_buf struct buf packed = BUF_INIT;
        int64_t t0 = clock_mono_us();
        order[i % ORDER_BYTES]++;
        cred_sign(controller, CRED_LAUNCH, order, sizeof(order), &packed);
        int64_t t1 = clock_mono_us();
        Pb__Signed *s = pb__signed__unpack(NULL, packed.len, (uint8_t *)packed.s);
        if (!cred_verify(node, CRED_LAUNCH, s))
            exit(1);
        pb__signed__free_unpacked(s, NULL);
        sign_us += t1 - t0;
        verify_us += clock_mono_us() - t1;
    }
    print_rate("sign", count, sign_us);
    print_rate("verify", count, verify_us);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    int64_t us[2] = { 0 };
    struct cred_key controller = keyring_machine("ca", "controller", "controller/1");
    struct cred_key node = keyring_machine("ca", "node", "agent/n1");
    for (int i = 0; i < count; i++)
        open_one(&controller, &node, us);
    print_rate("server", count, us[0]);
    print_rate("client", count, us[1]);
    signatures(&controller, &node, count);
    keys_close(&controller);
    keys_close(&node);
    keyring_remove();
    return 0;
}
