/* keys: a key folder makes what it can by itself, refuses files that other users could have written, and is read again
 * without a break. */
#include "io/keys.h"

#include <fcntl.h>
#include <time.h>

#include "keyring.h"
#include "test.h"

static bool is_signed(const struct cred_key *by, const struct cred_key *for_whom)
{
    auto_buf struct buf out = BUF_INIT;
    cred_sign(by, CRED_CLIENT, "x", 1, &out);
    Pb__Signed *s = pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
    bool good = cred_verify(for_whom, CRED_CLIENT, s);
    pb__signed__free_unpacked(s, NULL);
    return good;
}

static char *file_in(const struct keys_conf *conf, const char *name)
{
    return mem_printf("%s/%s", conf->dir, name);
}

/* ---- a machine that founds the cluster ---- */

static void test_founding(void)
{
    struct keys_conf conf = keyring_conf("one", "controller/1");
    struct cred_key key, again;
    struct err err = ERR_INIT;
    is_int(keys_open(&key, &conf, &err), ENOENT, "without a CA a machine asks for its files: %s", err.text);
    conf.found = true;
    is_int(keys_open(&key, &conf, &err), 0, "the first controller makes a CA");
    is_str(keys_self(&key)->roles, "controller/1", "and a certificate");
    static const struct {
        const char *name;
        mode_t mode;
    } files[] = { { "ca.key", 0600 }, { "ca.crt", 0644 }, { "machine.key", 0600 }, { "machine.crt", 0644 } };
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        auto_free char *path = file_in(&conf, files[i].name);
        struct stat st;
        ok(!stat(path, &st) && (st.st_mode & 0777) == files[i].mode, "%s has mode %03o", files[i].name, files[i].mode);
    }
    conf.roles = "agent/n1";
    is_int(keys_open(&again, &conf, &err), 0, "an agent on the same machine opens the same folder");
    is_str(keys_self(&again)->roles, "controller/1 agent/n1", "which has both roles now");
    ok(is_signed(&key, &again) && is_signed(&again, &key), "both trust each other");
    char serial[41];
    snprintf(serial, sizeof(serial), "%s", keys_self(&again)->serial);
    is_int(keys_reload(&key, &err), 0, "read again");
    is_str(keys_self(&key)->serial, serial, "nothing is made anew that is good");
    keys_close(&key);
    keys_close(&again);
}

static void test_user(void)
{
    struct keys_conf conf = keyring_conf("one", NULL);
    struct cred_key key;
    struct err err = ERR_INIT;
    auto_free char *secret = file_in(&conf, "machine.key");
    chmod(secret, 0640);
    is_int(keys_open(&key, &conf, &err), 0, "a command needs the CA's certificate alone");
    ok(!cred_can_sign(&key), "and does not use a key that others can read");
    keys_close(&key);
    chmod(secret, 0600);
    ok(!keys_open(&key, &conf, &err) && cred_can_sign(&key), "but a proper one");
    keys_close(&key);
}

/* ---- files that others could have written ---- */

static void test_modes(void)
{
    static const struct {
        const char *name;
        mode_t bad, good;
    } cases[] = {
        { "machine.key", 0640, 0600 }, { "machine.key", 0604, 0600 }, { "machine.crt", 0664, 0644 },
        { "ca.crt", 0646, 0644 },      { "ca.key", 0644, 0600 },      { ".", 0775, 0755 },
        { ".", 0757, 0755 },
    };
    struct keys_conf conf = keyring_conf("one", "controller/1");
    struct cred_key key;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_free char *path = file_in(&conf, cases[i].name);
        chmod(path, cases[i].bad);
        is_int(keys_open(&key, &conf, &err), EPERM, "%s of mode %03o is refused: %s", cases[i].name, cases[i].bad,
               err.text);
        chmod(path, cases[i].good);
    }
    auto_free char *path = file_in(&conf, "ca.crt"), *aside = file_in(&conf, "aside");
    struct err err = ERR_INIT;
    ok(!rename(path, aside) && !symlink(aside, path) && keys_open(&key, &conf, &err), "a link is not followed: %s",
       err.text);
    rename(aside, path);
    if (geteuid())
        return;
    ok(!chown(path, 12345, 0) && keys_open(&key, &conf, &err) == EPERM, "another user's file is refused: %s", err.text);
    conf.owner = 12345;
    is_int(keys_open(&key, &conf, &err), 0, "unless the user is SlurmUser");
    keys_close(&key);
    (void)!chown(path, 0, 0);
}

/* ---- issuing, revoking ---- */

static void test_issue(void)
{
    struct keys_conf ca = keyring_conf("one", NULL);
    struct cred_key controller, node, wrong;
    struct err err = ERR_INIT;
    static const char *const bad[] = { "", "agent", "agent/", "king/1", "agent/a b/c", "agent/n1%", "agent/*x" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        is_int(keys_issue(&ca, bad[i], ca.dir, 1, &err), EINVAL, "no certificate for \"%s\": %s", bad[i], err.text);
    node = keyring_machine("one", "n7", "agent/n7");
    struct keys_conf conf = keyring_conf("n7", "agent/n8");
    is_int(keys_open(&wrong, &conf, &err), EACCES, "the files of one node do not make another: %s", err.text);
    conf = keyring_conf("one", "controller/1");
    ok(!keys_open(&controller, &conf, &err) && is_signed(&node, &controller), "the controller believes the node");
    char serial[41];
    snprintf(serial, sizeof(serial), "%s", keys_self(&node)->serial);
    is_int(keys_revoke(&ca, "xyz", &err), EINVAL, "what is no serial number is not revoked");
    ok(!keys_revoke(&ca, serial, &err) && is_signed(&node, &controller), "the list is read");
    ok(!keys_reload(&controller, &err) && !is_signed(&node, &controller), "by a reconfiguration: no more");
    keys_close(&node);
    node = keyring_machine("one", "n7", "agent/n7");
    ok(is_signed(&node, &controller), "a new certificate of the same node is good");
    keys_close(&node);
    keys_close(&controller);
}

/* ---- rotation ---- */

static void copy_ca(const char *from, const char *to)
{
    struct keys_conf a = keyring_conf(from, NULL), b = keyring_conf(to, NULL);
    auto_free char *in = file_in(&a, "ca.crt"), *out = file_in(&b, "ca.crt");
    auto_buf struct buf text = BUF_INIT;
    auto_close int fd = buf_read_file(&text, in, 100000) ? -1 : open(out, O_WRONLY | O_TRUNC);
    if (fd < 0 || write(fd, text.s, text.len) != (ssize_t)text.len)
        abort();
}

static void test_rotation(void)
{
    struct keys_conf ca = keyring_conf("one", "controller/1");
    struct cred_key controller, node;
    struct err err = ERR_INIT;
    if (keys_open(&controller, &ca, &err))
        abort();
    node = keyring_machine("one", "n9", "agent/n9");
#define TRUST (is_signed(&node, &controller) && is_signed(&controller, &node))
    is_int(keys_rotate(&ca, KEYS_ROTATE_SWITCH, &err), ENOENT, "first a second CA: %s", err.text);
    ok(!keys_rotate(&ca, KEYS_ROTATE_ADD, &err) && !keys_reload(&controller, &err) && TRUST, "a second CA is trusted");
    is_int(keys_rotate(&ca, KEYS_ROTATE_ADD, &err), EEXIST, "one at a time: %s", err.text);
    copy_ca("one", "n9");
    ok(!keys_reload(&node, &err) && TRUST, "also by the node");
    ok(!keys_rotate(&ca, KEYS_ROTATE_SWITCH, &err) && !keys_reload(&controller, &err) && TRUST,
       "the second signs, and both are believed: %s", err.text);
    struct cred_key old = node;
    node = keyring_machine("one", "n9-new", "agent/n9");
    ok(TRUST, "a node's new certificate is good");
    ok(!keys_rotate(&ca, KEYS_ROTATE_DROP, &err) && !keys_reload(&controller, &err) && TRUST, "the first is dropped");
    ok(!is_signed(&old, &controller), "and what it signed is not believed any more");
    is_int(keys_rotate(&ca, KEYS_ROTATE_DROP, &err), ENOENT, "the last one stays");
    keys_close(&old);
    keys_close(&node);
    keys_close(&controller);
}

/* ---- time ---- */

static void test_dates(void)
{
    auto_buf struct buf ca_key = BUF_INIT, ca = BUF_INIT, key = BUF_INIT, cert = BUF_INIT;
    struct cert_store *store;
    struct cred_pair pair = { 0 };
    struct err err = ERR_INIT;
    int64_t now_s = time(NULL);
    cert_make_key(&ca_key);
    cert_make_key(&key);
    ok(!cert_make_ca(ca_key.s, "test", now_s, &ca, &err) &&
           !cert_issue(ca.s, ca_key.s, key.s, "test", "agent/n1", now_s, 10, &cert, &err) &&
           !cert_read_pair(&pair, key.s, cert.s, &err) && !cert_store_new(&store, ca.s, NULL, "test", &err),
       "a certificate for ten days");
    static const struct {
        int days;
        bool good;
    } cases[] = { { -2, false }, { 0, true }, { 9, true }, { 11, false }, { 0, true } };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t at_s = now_s + cases[i].days * 86400;
        ok(!cert_check(store, pair.cert.s, pair.cert.len, at_s, &err) == !cases[i].good, "day %d: %s", cases[i].days,
           cases[i].good ? "good" : err.text);
    }
    cert_store_free(store);
    ok(!cert_store_new(&store, ca.s, NULL, "another", &err) &&
           !cert_check(store, pair.cert.s, pair.cert.len, now_s, &err),
       "it has no role in another cluster: %s", err.text);
    ok(!cert_check(store, pair.cert.s, pair.cert.len - 1, now_s, &err), "a part of it is nothing: %s", err.text);
    ok(!cert_check(store, ca.s, ca.len, now_s, &err), "text is nothing: %s", err.text);
    cert_store_free(store);
    cert_pair_clear(&pair);
}

int main(void)
{
    test_founding();
    test_user();
    test_modes();
    test_issue();
    test_rotation();
    test_dates();
    keyring_remove();
    return test_done();
}
