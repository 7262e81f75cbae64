/* cred - what is signed with the cluster's key: forged, replayed, out of date, for another use or connection, it is
 * refused. */
#include <sys/stat.h>

#include "base/mem.h"
#include "test.h"
#include "wire/cred.h"

#define NOW_MS 1800000000000LL

static const struct cred_key key = { { 1, 2, 3 } }, other_key = { { 1, 2, 4 } };
static const uint8_t nonce[CRED_NONCE_LEN] = { 9, 9, 9 }, other_nonce[CRED_NONCE_LEN] = { 9, 9, 8 };

static Pb__Signed *make(enum cred_use use)
{
    Pb__Cred c = PB__CRED__INIT;
    auto_buf struct buf b = BUF_INIT;
    c.uid = 1001, c.gid = 1002, c.use = use;
    c.issued_ms = NOW_MS, c.expires_ms = NOW_MS + CRED_TTL_MS;
    c.nonce = (ProtobufCBinaryData){ sizeof(nonce), (uint8_t *)(uintptr_t)nonce };
    cred_make(&key, &c, &b);
    return pb__signed__unpack(NULL, b.len, (uint8_t *)b.s);
}

static void test_open(void)
{
    static const struct {
        enum cred_use made, asked;
        const struct cred_key *key;
        const uint8_t *nonce;
        int64_t at_ms;
        bool good;
        const char *name;
    } cases[] = {
        { CRED_CLIENT, CRED_CLIENT, &key, nonce, NOW_MS, true, "a credential as it should be" },
        { CRED_CLIENT, CRED_CLIENT, &key, nonce, NOW_MS + CRED_TTL_MS, true, "at its last moment" },
        { CRED_CLIENT, CRED_CLIENT, &key, nonce, NOW_MS + CRED_TTL_MS + 1, false, "a moment later" },
        { CRED_CLIENT, CRED_CLIENT, &key, nonce, NOW_MS - CRED_TTL_MS - 1, false, "from the future" },
        { CRED_CLIENT, CRED_CLIENT, &key, other_nonce, NOW_MS, false, "replayed on another connection" },
        { CRED_CLIENT, CRED_CLIENT, &other_key, nonce, NOW_MS, false, "signed with another key" },
        { CRED_CLIENT, CRED_AGENT, &key, nonce, NOW_MS, false, "a user's shown as a node's" },
        { CRED_AGENT, CRED_PEER, &key, nonce, NOW_MS, false, "a node's shown as a controller's" },
        { CRED_PEER, CRED_CLIENT, &key, nonce, NOW_MS, false, "a controller's shown as a user's" },
        { CRED_LAUNCH, CRED_CLIENT, &key, nonce, NOW_MS, false, "a launch order shown as a user" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        Pb__Signed *s = make(cases[i].made);
        Pb__Cred *c = cred_open(cases[i].key, s, cases[i].asked, cases[i].nonce, cases[i].at_ms, &err);
        ok(cases[i].good ? c && c->uid == 1001 && c->gid == 1002 : !c && err.code == EACCES, "%s: %s", cases[i].name,
           c ? "believed" : err.text);
        if (c)
            pb__cred__free_unpacked(c, NULL);
        pb__signed__free_unpacked(s, NULL);
    }
}

static void test_forged(void)
{
    Pb__Signed *s = make(CRED_CLIENT);
    size_t believed = 0;
    for (size_t i = 0; i < s->body.len * 8; i++) {
        s->body.data[i / 8] ^= (uint8_t)(1u << i % 8);
        believed += cred_verify(&key, CRED_CLIENT, s);
        s->body.data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    is_int(believed, 0, "no bit of the body can be changed");
    for (size_t i = 0; i < s->mac.len * 8; i++) {
        s->mac.data[i / 8] ^= (uint8_t)(1u << i % 8);
        believed += cred_verify(&key, CRED_CLIENT, s);
        s->mac.data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    is_int(believed, 0, "nor of the signature");
    size_t len = s->mac.len;
    for (s->mac.len = 0; s->mac.len < len; s->mac.len++)
        believed += cred_verify(&key, CRED_CLIENT, s);
    is_int(believed, 0, "a shorter signature is none");
    ok(cred_verify(&key, CRED_CLIENT, s), "as it was it is good");
    ok(!cred_verify(&key, CRED_CLIENT, NULL), "nothing is not");
    pb__signed__free_unpacked(s, NULL);
}

static void test_key_file(void)
{
    char dir[] = "/tmp/spur-cred-XXXXXX";
    struct cred_key a, b;
    struct err err = ERR_INIT;
    if (!mkdtemp(dir))
        return;
    auto_free char *path = mem_printf("%s/key", dir), *link = mem_printf("%s/link", dir);
    is_int(cred_key_load(&a, path, 0, &err), ENOENT, "no key");
    ok(!cred_key_ensure(&a, path, 0, &err) && !cred_key_ensure(&b, path, 0, &err) && !memcmp(&a, &b, sizeof(a)),
       "it is made once and read after");
    struct stat st;
    ok(!stat(path, &st) && (st.st_mode & 0777) == 0600, "for its owner alone");
    ok(!symlink(path, link) && cred_key_load(&b, link, 0, &err), "a link is not followed");
    chmod(path, 0640);
    is_int(cred_key_load(&b, path, 0, &err), EPERM, "a key that others can read is none");
    chmod(path, 0600);
    ok(!truncate(path, 31) && cred_key_load(&b, path, 0, &err) == EINVAL, "nor is a short one");
    unlink(link);
    unlink(path);
    rmdir(dir);
}

int main(void)
{
    test_open();
    test_forged();
    test_key_file();
    return test_done();
}
