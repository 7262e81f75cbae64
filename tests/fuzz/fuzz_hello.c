/* The hello exchange takes any bytes in either role, in any split: it never opens for a stranger, never reads past what
 * it was given, and never sends a credential to a server that did not challenge. */
#include "fuzz.h"

#include "io/link_hello.h"
#include "wire/frame.h"

static const struct cred_key key = { "a key" };
static const uint8_t nonce[CRED_NONCE_LEN];

static enum hello_verdict run(struct hello *h, const uint8_t *data, size_t n, size_t step, struct buf *out)
{
    struct err err = ERR_INIT;
    enum hello_verdict v = HELLO_MORE;
    for (size_t at = 0, seen = MIN(step, n); v == HELLO_MORE;) {
        size_t used;
        v = hello_step(h, data + at, seen - at, &used, 0, out, &err);
        check(used <= seen - at);
        at += used;
        if (v == HELLO_MORE && !used && seen == n)
            break;
        seen = used ? seen : MIN(seen + step, n);
    }
    check((v == HELLO_REFUSED) == (err.code != 0));
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n)
        return 0;
    size_t step = data[0] % 64 + 1u;
    auto_buf struct buf out = BUF_INIT, sent = BUF_INIT;
    struct hello server, client;
    hello_serve(&server, &key, ~0u, nonce, &out);
    buf_reset(&out);
    check(run(&server, data + 1, n - 1, step, &out) != HELLO_OPEN && !server.peer.use);
    for (enum cred_use use = CRED_CLIENT; use <= CRED_PEER; use++) {
        struct link_claim claim = { data[0] & 64 ? &key : NULL, use, "n1", 1, "h:1", 0, 0 };
        hello_connect(&client, &claim);
        enum hello_verdict v = run(&client, data + 1, n - 1, step, &sent);
        check(v != HELLO_SIGN || (!claim.key && !sent.len));
        check(v != HELLO_OPEN || sent.len);
        buf_reset(&sent);
    }
    return 0;
}
