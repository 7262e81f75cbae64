/* Certificates and signatures from outside, whatever their bytes: none is believed that the CA has not signed, and none
 * is read past its end. */
#include "fuzz.h"

#include <string.h>
#include <time.h>

#include "io/cert.h"

static struct cert_store *store;
static struct cred_pair pair;

static const struct cred_identity *check_it(struct cred_trust *t, const void *cert, size_t len, struct err *err)
{
    return cert_check(store, cert, len, time(NULL), err);
}

static void set_up(void)
{
    auto_buf struct buf ca_key = BUF_INIT, ca = BUF_INIT, key = BUF_INIT, cert = BUF_INIT;
    struct err err = ERR_INIT;
    cert_make_key(&ca_key);
    cert_make_key(&key);
    check(!cert_make_ca(ca_key.s, "test", time(NULL), &ca, &err) &&
          !cert_issue(ca.s, ca_key.s, key.s, "test", "agent/n1", time(NULL), 10, &cert, &err) &&
          !cert_read_pair(&pair, key.s, cert.s, &err) && !cert_store_new(&store, ca.s, "AB # x\n", "test", &err));
}

/* The real certificate with some of its bytes replaced by the input's. */
static void check_changed(const uint8_t *data, size_t n)
{
    auto_buf struct buf der = BUF_INIT;
    buf_add(&der, pair.cert.s, pair.cert.len);
    for (size_t i = 0; i + 2 < n; i += 3)
        der.s[(data[i] << 8 | data[i + 1]) % der.len] ^= (char)data[i + 2];
    bool same = !memcmp(der.s, pair.cert.s, der.len);
    check(same || !cert_check(store, der.s, der.len, time(NULL), NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct cred_trust trust = { check_it };
    struct cred_key key = { .trust = &trust };
    if (!store)
        set_up();
    check(!cert_check(store, data, n, time(NULL), NULL));
    check_changed(data, n);
    Pb__Signed *s = pb__signed__unpack(NULL, n, data);
    if (!s)
        return 0;
    for (enum cred_use use = CRED_CLIENT; use <= CRED_KILL; use++)
        check(!cred_verify(&key, use, s));
    pb__signed__free_unpacked(s, NULL);
    return 0;
}
