/* keys - a process's view of its machine's key folder; see keys.h. */
#include "io/keys.h"

#include <string.h>
#include <time.h>

#include "base/str.h"
#include "io/keys_priv.h"
#include "io/tls.h"

struct keys {
    struct tls_identity tls; /* cred_key.trust points into it */
    struct cert_store *store;
    struct cred_pair pair; /* empty: this process cannot sign */
    struct keys_conf conf;
};

static struct keys *keys_of(const struct cred_key *key)
{
    return CONTAINER_OF(key->trust, struct keys, tls.trust);
}

static const struct cred_identity *check(struct cred_trust *t, const void *cert, size_t len, struct err *err)
{
    return cert_check(CONTAINER_OF(t, struct keys, tls.trust)->store, cert, len, time(NULL), err);
}

/* ---- reading ---- */

static void keys_clear(struct keys *k)
{
    tls_identity_clear(&k->tls);
    cert_store_free(k->store);
    cert_pair_clear(&k->pair);
}

static int missing(const struct keys_conf *conf, const char *name, struct err *err)
{
    return err_set(err, ENOENT,
                   "there is no %s in the key folder %s: copy the folder that `spur key issue` makes for this machine "
                   "on the controller with ca.key",
                   name, conf->dir);
}

static int load_store(struct keys *k, struct err *err)
{
    auto_buf struct buf bundle = BUF_INIT, revoked = BUF_INIT;
    int rc = keys_read(&k->conf, "ca.crt", true, &bundle, err);
    if (rc)
        return rc == ENOENT ? missing(&k->conf, "ca.crt", err) : rc;
    rc = keys_read(&k->conf, "revoked", true, &revoked, err);
    if (rc && rc != ENOENT)
        return rc;
    rc = cert_store_new(&k->store, bundle.s, revoked.s, k->conf.cluster, err);
    return rc ? err_prefix(err, "%s/ca.crt", k->conf.dir) : 0;
}

/* A process without roles signs if it can read the key, and asks a daemon if it cannot. */
static int load_pair(struct keys *k, struct err *err)
{
    auto_buf struct buf key = BUF_INIT, cert = BUF_INIT;
    struct err why = ERR_INIT;
    int rc = keys_read(&k->conf, "machine.key", false, &key, &why);
    if (rc && !k->conf.roles)
        return 0;
    if (!rc)
        rc = keys_read(&k->conf, "machine.crt", true, &cert, &why);
    if (rc)
        return rc == ENOENT ? missing(&k->conf, key.len ? "machine.crt" : "machine.key", err)
                            : err_set(err, rc, "%s", why.text);
    rc = cert_read_pair(&k->pair, key.s, cert.s, err);
    return rc ? err_prefix(err, "%s", k->conf.dir) : 0;
}

static int check_self(const struct keys *k, struct err *err)
{
    struct err why = ERR_INIT;
    if (!k->pair.cert.len)
        return 0;
    const struct cred_identity *id = cert_check(k->store, k->pair.cert.s, k->pair.cert.len, time(NULL), &why);
    if (!id)
        return err_set(err, why.code, "%s/machine.crt: %s", k->conf.dir, why.text);
    if (cred_identity_has_all(id, str_or(k->conf.roles, "")))
        return 0;
    return err_set(err, EACCES, "%s/machine.crt is for %s and not for %s: `spur key issue` makes another", k->conf.dir,
                   id->roles, k->conf.roles);
}

static int load(struct keys *k, struct err *err)
{
    int rc = load_store(k, err);
    if (!rc)
        rc = load_pair(k, err);
    if (!rc)
        rc = check_self(k, err);
    return rc ? rc : tls_identity_init(&k->tls, k->pair.cert.len ? &k->pair : NULL, err);
}

/* ---- making what is missing ---- */

static int ensure(const struct keys_conf *conf, struct err *err)
{
    auto_close int lock = -1;
    auto_buf struct buf there = BUF_INIT;
    int rc = cert_roles_check(conf->roles, err);
    if (!rc)
        rc = keys_lock(conf, &lock, err);
    if (rc)
        return rc;
    rc = keys_read(conf, "ca.crt", true, &there, err);
    if (rc == ENOENT)
        rc = conf->found ? keys_ca_new(conf, err) : missing(conf, "ca.crt", err);
    return rc ? rc : keys_ensure_machine(conf, err);
}

/* ---- life ---- */

static void publish(struct cred_key *key, struct keys *k)
{
    k->tls.trust.check = check;
    *key = (struct cred_key){ .trust = &k->tls.trust, .own = k->pair.cert.len ? &k->pair : NULL };
}

int keys_open(struct cred_key *key, const struct keys_conf *conf, struct err *err)
{
    struct keys *k = NEW(struct keys);
    k->conf = *conf;
    k->conf.dir = mem_str(conf->dir);
    k->conf.cluster = mem_str(conf->cluster);
    k->conf.roles = mem_str(conf->roles);
    publish(key, k);
    int rc = conf->roles ? ensure(&k->conf, err) : 0;
    if (!rc)
        rc = load(k, err);
    if (rc)
        keys_close(key);
    else
        publish(key, k);
    return rc;
}

void keys_close(struct cred_key *key)
{
    if (!key->trust)
        return;
    struct keys *k = keys_of(key);
    keys_clear(k);
    free((char *)k->conf.dir);
    free((char *)k->conf.cluster);
    free((char *)k->conf.roles);
    free(k);
    *key = (struct cred_key){ 0 };
}

int keys_reload(const struct cred_key *key, struct err *err)
{
    struct keys *k = keys_of(key), next = { .conf = k->conf };
    int rc = k->conf.roles ? ensure(&k->conf, err) : 0;
    if (!rc)
        rc = load(&next, err);
    if (rc) {
        keys_clear(&next);
        return rc;
    }
    next.tls.trust = k->tls.trust;
    keys_clear(k);
    *k = next;
    return 0;
}

const struct cred_identity *keys_self(const struct cred_key *key)
{
    struct keys *k = keys_of(key);
    return k->pair.cert.len ? cert_check(k->store, k->pair.cert.s, k->pair.cert.len, time(NULL), NULL) : NULL;
}
