/* keys_ca - the CA's work in a key folder: make, issue, revoke, rotate; see keys.h. */
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/str.h"
#include "io/keys_priv.h"

/* ---- the CA ---- */

/* A new CA before the CAs of `bundle`. */
static int ca_make(const struct keys_conf *conf, const char *key_name, struct buf *cert, struct err *err)
{
    auto_buf struct buf key = BUF_INIT;
    cert_make_key(&key);
    int rc = cert_make_ca(key.s, conf->cluster, time(NULL), cert, err);
    return rc ? rc : keys_write(conf->dir, key_name, false, &key, err);
}

int keys_ca_new(const struct keys_conf *conf, struct err *err)
{
    auto_buf struct buf cert = BUF_INIT;
    int rc = ca_make(conf, "ca.key", &cert, err);
    return rc ? rc : keys_write(conf->dir, "ca.crt", true, &cert, err);
}

int keys_make_ca(const struct keys_conf *conf, struct err *err)
{
    auto_close int lock = -1;
    auto_buf struct buf there = BUF_INIT;
    int rc = keys_lock(conf, &lock, err);
    if (rc)
        return rc;
    rc = keys_read(conf, "ca.crt", true, &there, err);
    if (!rc)
        return err_set(err, EEXIST, "%s has a CA already", conf->dir);
    return rc == ENOENT ? keys_ca_new(conf, err) : rc;
}

struct ca {
    struct buf bundle, cert, key; /* `cert`: the first of the bundle */
};
#define auto_ca __attribute__((cleanup(ca_clear)))

static void ca_clear(struct ca *ca)
{
    buf_clear(&ca->bundle);
    buf_clear(&ca->cert);
    buf_clear(&ca->key);
}

/* ENOENT without a sentence: this machine has no CA's key. */
static int ca_load(const struct keys_conf *conf, struct ca *ca, struct err *err)
{
    int rc = keys_read(conf, "ca.crt", true, &ca->bundle, err);
    if (!rc)
        rc = keys_read(conf, "ca.key", false, &ca->key, err);
    if (!rc && cert_bundle_at(ca->bundle.s, 0, &ca->cert))
        rc = err_set(err, EINVAL, "%s/ca.crt holds no certificate", conf->dir);
    return rc;
}

static int ca_need(const struct keys_conf *conf, struct ca *ca, struct err *err)
{
    int rc = ca_load(conf, ca, err);
    return rc == ENOENT ? err_set(err, ENOENT, "there is no CA in %s: this is the work of the machine that has ca.key",
                                  conf->dir)
                        : rc;
}

/* ---- this machine ---- */

/* The roles of the certificate that is there, and `more`. */
static char *roles_with(const struct cred_identity *id, const char *more)
{
    auto_buf struct buf out = BUF_INIT;
    buf_adds(&out, id ? id->roles : "");
    for (const char *pos = more;;) {
        auto_free char *one = str_next(&pos, " ");
        if (!one)
            return buf_take(&out);
        bool there = false;
        for (const char *at = out.s; at && !there;) {
            auto_free char *have = str_next(&at, " ");
            if (!have)
                break;
            there = str_eq(have, one);
        }
        if (!there)
            buf_addf(&out, "%s%s", out.len ? " " : "", one);
    }
}

/* The certificate is of the CA that signs now, has the roles and will be good for a while. */
static bool is_current(const struct cred_identity *id, const struct keys_conf *conf, const char *cert_pem,
                       const struct ca *ca)
{
    return id && cred_identity_has_all(id, str_or(conf->roles, "")) &&
           id->until_s - time(NULL) > (id->until_s - id->from_s) / 3 && cert_issued_by(cert_pem, ca->cert.s);
}

int keys_ensure_machine(const struct keys_conf *conf, struct err *err)
{
    auto_ca struct ca ca = { 0 };
    auto_buf struct buf key = BUF_INIT, cert = BUF_INIT, next = BUF_INIT;
    struct cred_pair pair = { 0 };
    struct cert_store *store = NULL;
    int rc = ca_load(conf, &ca, err);
    if (rc)
        return rc == ENOENT || rc == EACCES ? 0 : rc; /* there is no CA here: the files must do as they are */
    rc = keys_read(conf, "machine.key", false, &key, err);
    if (rc == ENOENT) {
        cert_make_key(&key);
        rc = keys_write(conf->dir, "machine.key", false, &key, err);
    } else if (!rc) {
        rc = keys_read(conf, "machine.crt", true, &cert, err);
        rc = rc == ENOENT ? 0 : rc;
    }
    if (!rc)
        rc = cert_store_new(&store, ca.bundle.s, NULL, conf->cluster, err);
    if (rc)
        return rc;
    const struct cred_identity *id = NULL;
    if (cert.len && !cert_read_pair(&pair, key.s, cert.s, NULL))
        id = cert_check(store, pair.cert.s, pair.cert.len, time(NULL), NULL);
    if (!is_current(id, conf, cert.s, &ca)) {
        auto_free char *roles = roles_with(id, str_or(conf->roles, ""));
        if (*roles)
            rc = cert_issue(ca.cert.s, ca.key.s, key.s, conf->cluster, roles, time(NULL), CERT_DAYS, &next, err);
        if (!rc && next.len)
            rc = keys_write(conf->dir, "machine.crt", true, &next, err);
    }
    cert_pair_clear(&pair);
    cert_store_free(store);
    return rc;
}

/* ---- other machines ---- */

/* ca.crt and revoked go along. */
static int copy_public(const struct keys_conf *conf, const struct ca *ca, const char *to, struct err *err)
{
    auto_buf struct buf revoked = BUF_INIT;
    int rc = keys_write(to, "ca.crt", true, &ca->bundle, err);
    if (rc)
        return rc;
    rc = keys_read(conf, "revoked", true, &revoked, err);
    return rc ? (rc == ENOENT ? 0 : rc) : keys_write(to, "revoked", true, &revoked, err);
}

int keys_issue(const struct keys_conf *conf, const char *roles, const char *to, unsigned days, struct err *err)
{
    auto_close int lock = -1;
    auto_ca struct ca ca = { 0 };
    auto_buf struct buf key = BUF_INIT, cert = BUF_INIT;
    int rc = keys_lock(conf, &lock, err);
    if (!rc)
        rc = ca_need(conf, &ca, err);
    if (rc)
        return rc;
    cert_make_key(&key);
    rc = cert_issue(ca.cert.s, ca.key.s, key.s, conf->cluster, roles, time(NULL), days, &cert, err);
    if (!rc && mkdir(to, 0755) && errno != EEXIST)
        rc = err_set(err, errno, "cannot make %s: %m", to);
    if (!rc)
        rc = keys_write(to, "machine.key", false, &key, err);
    if (!rc)
        rc = keys_write(to, "machine.crt", true, &cert, err);
    return rc ? rc : copy_public(conf, &ca, to, err);
}

int keys_revoke(const struct keys_conf *conf, const char *serial, struct err *err)
{
    auto_close int lock = -1;
    auto_buf struct buf list = BUF_INIT;
    if (!*serial || strlen(serial) > 40 || serial[strspn(serial, "0123456789ABCDEF")])
        return err_set(err, EINVAL, "%s is no serial number of a certificate", serial);
    int rc = keys_lock(conf, &lock, err);
    if (!rc)
        rc = keys_read(conf, "revoked", true, &list, err);
    if (rc && rc != ENOENT)
        return rc;
    buf_addf(&list, "%s\n", serial);
    return keys_write(conf->dir, "revoked", true, &list, err);
}

/* ---- rotation ---- */

static int bundle_write(const struct keys_conf *conf, const struct buf *first, const struct buf *second,
                        struct err *err)
{
    auto_buf struct buf both = BUF_INIT;
    buf_add(&both, first->s, first->len);
    buf_add(&both, second->s ? second->s : "", second->len);
    return keys_write(conf->dir, "ca.crt", true, &both, err);
}

static int rotate_switch(const struct keys_conf *conf, const struct ca *ca, const struct buf *second, struct err *err)
{
    auto_buf struct buf key = BUF_INIT;
    int rc = keys_read(conf, "next.key", false, &key, err);
    if (rc)
        return rc == ENOENT ? err_set(err, ENOENT, "there is no second CA that could sign: begin with `add`") : rc;
    rc = keys_write(conf->dir, "ca.key", false, &key, err);
    if (!rc)
        rc = bundle_write(conf, second, &ca->cert, err);
    auto_free char *path = mem_printf("%s/next.key", conf->dir);
    if (!rc && unlink(path))
        rc = err_set(err, errno, "cannot remove %s: %m", path);
    return rc ? rc : keys_ensure_machine(conf, err);
}

int keys_rotate(const struct keys_conf *conf, enum keys_rotation step, struct err *err)
{
    auto_close int lock = -1;
    auto_ca struct ca ca = { 0 };
    auto_buf struct buf second = BUF_INIT, none = BUF_INIT;
    int rc = keys_lock(conf, &lock, err);
    if (!rc)
        rc = ca_need(conf, &ca, err);
    if (rc)
        return rc;
    bool two = !cert_bundle_at(ca.bundle.s, 1, &second);
    if (step == KEYS_ROTATE_ADD && two)
        return err_set(err, EEXIST, "a rotation is under way: %s/ca.crt holds two CAs", conf->dir);
    if (step != KEYS_ROTATE_ADD && !two)
        return err_set(err, ENOENT, "no rotation is under way: %s/ca.crt holds one CA", conf->dir);
    switch (step) {
    case KEYS_ROTATE_ADD:
        rc = ca_make(conf, "next.key", &second, err);
        return rc ? rc : bundle_write(conf, &ca.cert, &second, err);
    case KEYS_ROTATE_SWITCH: return rotate_switch(conf, &ca, &second, err);
    case KEYS_ROTATE_DROP: return bundle_write(conf, &ca.cert, &none, err);
    }
    return EINVAL;
}
