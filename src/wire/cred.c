/* cred - keyed BLAKE2b with the cluster's key, or Ed25519 with a machine's; see cred.h. */
#include "wire/cred.h"

#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/str.h"

#define MAC_LEN 32
#define TAG_LEN 8

/* ---- roles ---- */

const char *const cred_role_name[CRED_ROLES] = { "controller", "agent", "host" };

/* Which roles may sign for a use. */
#define CONTROLLER (1u << CRED_ROLE_CONTROLLER)
static const unsigned signers[] = {
    [CRED_CLIENT] = CONTROLLER | 1u << CRED_ROLE_AGENT | 1u << CRED_ROLE_HOST,
    [CRED_AGENT] = 1u << CRED_ROLE_AGENT,
    [CRED_PEER] = CONTROLLER,
    [CRED_LAUNCH] = CONTROLLER,
    [CRED_PERMIT] = CONTROLLER,
    [CRED_KILL] = CONTROLLER,
    [CRED_RELAY] = CONTROLLER | 1u << CRED_ROLE_AGENT | 1u << CRED_ROLE_HOST,
};

bool cred_identity_has(const struct cred_identity *id, enum cred_role role, const char *name)
{
    size_t len = strlen(cred_role_name[role]);
    for (const char *pos = id->roles;;) {
        auto_free char *one = str_next(&pos, " ");
        if (!one)
            return false;
        if (!strncmp(one, cred_role_name[role], len) && one[len] == '/' &&
            (!name || str_eq(one + len + 1, name) || str_eq(one + len + 1, "*")))
            return true;
    }
}

bool cred_identity_has_all(const struct cred_identity *id, const char *roles)
{
    for (const char *pos = roles;;) {
        auto_free char *one = str_next(&pos, " ");
        if (!one)
            return true;
        char *slash = strchr(one, '/');
        bool has = false;
        if (slash)
            *slash = '\0';
        for (enum cred_role r = 0; slash && r < CRED_ROLES; r++)
            has |= str_eq(one, cred_role_name[r]) && cred_identity_has(id, r, slash + 1);
        if (!has)
            return false;
    }
}

static bool may_sign(const struct cred_identity *id, enum cred_use use)
{
    for (enum cred_role role = 0; role < CRED_ROLES; role++)
        if ((size_t)use < ARRAY_LEN(signers) && (signers[use] & 1u << role) && cred_identity_has(id, role, NULL))
            return true;
    return false;
}

/* ---- key files ---- */

int cred_file_check(const char *path, int fd, uid_t owner, bool is_public, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_set(err, errno, "cannot stat %s: %m", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, EPERM, "%s is no regular file", path);
    if (st.st_uid && st.st_uid != geteuid() && st.st_uid != owner)
        return err_set(err, EPERM, "%s belongs to user %u: keys belong to root or to the daemon's user", path,
                       st.st_uid);
    if (st.st_mode & (is_public ? 022 : 077))
        return err_set(err, EPERM, "%s can be %s by others (mode %03o): chmod %s it", path,
                       is_public ? "written" : "read", st.st_mode & 0777, is_public ? "644" : "600");
    return 0;
}

int cred_key_load(struct cred_key *key, const char *path, uid_t owner, struct err *err)
{
    *key = (struct cred_key){ 0 };
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, errno, "cannot open the cluster key %s: %m", path);
    int rc = cred_file_check(path, fd, owner, false, err);
    if (rc)
        return rc;
    if (read(fd, key->bytes, CRED_KEY_LEN) != CRED_KEY_LEN)
        return err_set(err, EINVAL, "the cluster key %s is not %d bytes long", path, CRED_KEY_LEN);
    return 0;
}

int cred_key_ensure(struct cred_key *key, const char *path, uid_t owner, struct err *err)
{
    *key = (struct cred_key){ 0 };
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        cred_random(key->bytes, CRED_KEY_LEN);
        if (write(fd, key->bytes, CRED_KEY_LEN) != CRED_KEY_LEN || fsync(fd))
            return err_set(err, errno, "cannot write the cluster key %s: %m", path);
        return 0;
    }
    if (errno != EEXIST)
        return err_set(err, errno, "cannot make the cluster key %s: %m", path);
    return cred_key_load(key, path, owner, err);
}

void cred_random(void *out, size_t n)
{
    for (size_t got = 0; got < n;) {
        ssize_t k = getrandom((char *)out + got, n - got, 0);
        if (k > 0)
            got += (size_t)k;
    }
}

/* ---- signatures ---- */

bool cred_can_sign(const struct cred_key *key)
{
    return key && (!key->trust || key->own);
}

static void use_tag(enum cred_use use, uint8_t out[static TAG_LEN])
{
    uint8_t tag[TAG_LEN] = { 's', 'p', 'u', 'r', 1, (uint8_t)use, 0, 0 };
    memcpy(out, tag, TAG_LEN);
}

static void mac(const struct cred_key *key, enum cred_use use, const void *body, size_t len,
                uint8_t out[static MAC_LEN])
{
    crypto_generichash_state st;
    uint8_t tag[TAG_LEN];
    use_tag(use, tag);
    crypto_generichash_init(&st, key->bytes, CRED_KEY_LEN, MAC_LEN);
    crypto_generichash_update(&st, tag, sizeof(tag));
    crypto_generichash_update(&st, body, len);
    crypto_generichash_final(&st, out, MAC_LEN);
}

/* Use and body, hashed for Ed25519ph. */
static void digest(crypto_sign_state *st, enum cred_use use, const void *body, size_t len)
{
    uint8_t tag[TAG_LEN];
    use_tag(use, tag);
    crypto_sign_init(st);
    crypto_sign_update(st, tag, sizeof(tag));
    crypto_sign_update(st, body, len);
}

void cred_sign(const struct cred_key *key, enum cred_use use, const void *body, size_t len, struct buf *out)
{
    uint8_t sum[MAC_LEN], signature[crypto_sign_BYTES];
    Pb__Signed s = PB__SIGNED__INIT;
    s.body = (ProtobufCBinaryData){ len, (uint8_t *)body };
    if (!key->trust) {
        mac(key, use, body, len, sum);
        s.mac = (ProtobufCBinaryData){ sizeof(sum), sum };
    } else if (key->own) {
        crypto_sign_state st;
        digest(&st, use, body, len);
        crypto_sign_final_create(&st, signature, NULL, key->own->secret);
        s.signature = (ProtobufCBinaryData){ sizeof(signature), signature };
        s.cert = (ProtobufCBinaryData){ key->own->cert.len, (uint8_t *)key->own->cert.s };
    }
    size_t n = pb__signed__get_packed_size(&s);
    pb__signed__pack(&s, (uint8_t *)buf_room(out, n));
    out->len += n;
}

void cred_enclose(const struct cred_key *key, enum cred_use use, const void *body, size_t len, struct buf *out)
{
    struct cred_key silent = *key;
    silent.own = NULL;
    cred_sign(&silent, use, body, len, out);
}

static bool mac_right(const struct cred_key *key, enum cred_use use, const Pb__Signed *s)
{
    uint8_t sum[MAC_LEN];
    if (s->mac.len != MAC_LEN)
        return false;
    mac(key, use, s->body.data, s->body.len, sum);
    return !sodium_memcmp(sum, s->mac.data, MAC_LEN);
}

static const char wrong_mac[] = "the signature is wrong (is the cluster key the same on both machines?)";

bool cred_signed_by(const struct cred_key *key, enum cred_use use, const Pb__Signed *s, const struct cred_identity **by,
                    struct err *err)
{
    const struct cred_identity *id = NULL;
    if (by)
        *by = NULL;
    if (!key->trust) {
        bool right = s && mac_right(key, use, s);
        if (!right)
            err_set(err, EACCES, "%s", wrong_mac);
        return right;
    }
    if (!s || s->signature.len != crypto_sign_BYTES || !s->cert.len) {
        err_set(err, EACCES, "it carries no machine's signature");
        return false;
    }
    id = key->trust->check(key->trust, s->cert.data, s->cert.len, err);
    if (!id)
        return false;
    crypto_sign_state st;
    digest(&st, use, s->body.data, s->body.len);
    if (crypto_sign_final_verify(&st, s->signature.data, id->public_key)) {
        err_set(err, EACCES, "the signature is wrong");
        return false;
    }
    if (!may_sign(id, use)) {
        err_set(err, EACCES, "the signer (%s) may not sign this", id->roles);
        return false;
    }
    if (by)
        *by = id;
    return true;
}

bool cred_verify(const struct cred_key *key, enum cred_use use, const Pb__Signed *s)
{
    return cred_signed_by(key, use, s, NULL, NULL);
}

/* ---- credentials ---- */

void cred_make(const struct cred_key *key, const Pb__Cred *cred, struct buf *out)
{
    auto_buf struct buf body = BUF_INIT;
    size_t n = pb__cred__get_packed_size(cred);
    pb__cred__pack(cred, (uint8_t *)buf_room(&body, n));
    cred_sign(key, (enum cred_use)cred->use, body.s, n, out);
}

/* May this machine say this?  A node speaks for itself, a controller for itself; a node names no root. */
static const char *beyond_role(const Pb__Cred *c, const struct cred_identity *by)
{
    char id[24];
    snprintf(id, sizeof(id), "%llu", (unsigned long long)c->raft_id);
    if (c->use == CRED_AGENT)
        return cred_identity_has(by, CRED_ROLE_AGENT, str_or(c->node, "")) ? NULL : "is of another node's machine";
    if (c->use == CRED_PEER)
        return cred_identity_has(by, CRED_ROLE_CONTROLLER, id) ? NULL : "is of another controller's machine";
    if (cred_identity_has(by, CRED_ROLE_CONTROLLER, NULL) || cred_identity_has(by, CRED_ROLE_HOST, NULL))
        return NULL;
    if (str_empty(c->host) || !cred_identity_has(by, CRED_ROLE_AGENT, c->host))
        return "is of another node's machine";
    return c->uid || c->use == CRED_RELAY ? NULL : "names root: a node cannot vouch for root";
}

static const char *cred_wrong(const Pb__Cred *c, enum cred_use use, const uint8_t nonce[static CRED_NONCE_LEN],
                              const struct cred_identity *by, int64_t now_ms)
{
    if (!c)
        return "does not parse";
    if (c->use != (uint32_t)use)
        return "is for another use";
    if (c->nonce.len != CRED_NONCE_LEN || memcmp(c->nonce.data, nonce, CRED_NONCE_LEN))
        return "belongs to another connection";
    if (use == CRED_CLIENT && (now_ms < c->issued_ms - CRED_TTL_MS || now_ms > c->expires_ms))
        return "is out of date (are the clocks right?)";
    return by ? beyond_role(c, by) : NULL;
}

Pb__Cred *cred_open(const struct cred_key *key, const Pb__Signed *s, enum cred_use use,
                    const uint8_t nonce[static CRED_NONCE_LEN], int64_t now_ms, struct err *err)
{
    const struct cred_identity *by;
    struct err why = ERR_INIT;
    if (!cred_signed_by(key, use, s, &by, &why)) {
        err_set(err, EACCES, "the credential is refused: %s", why.text);
        return NULL;
    }
    Pb__Cred *c = pb__cred__unpack(NULL, s->body.len, s->body.data);
    const char *wrong = cred_wrong(c, use, nonce, by, now_ms);
    if (!wrong)
        return c;
    err_set(err, EACCES, "the credential %s", wrong);
    if (c)
        pb__cred__free_unpacked(c, NULL);
    return NULL;
}

void cred_bind(uint8_t nonce[static CRED_NONCE_LEN], const uint8_t binding[static CRED_BINDING_LEN])
{
    uint8_t challenge[CRED_NONCE_LEN];
    memcpy(challenge, nonce, sizeof(challenge));
    crypto_generichash(nonce, CRED_NONCE_LEN, challenge, sizeof(challenge), binding, CRED_BINDING_LEN);
}
