/* cred - keyed BLAKE2b over what is said, with the cluster's key; see cred.h. */
#include "wire/cred.h"

#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#define MAC_LEN 32

int cred_key_load(struct cred_key *key, const char *path, struct err *err)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return err_set(err, errno, "cannot open the cluster key %s: %m", path);
    struct stat st;
    if (fstat(fd, &st))
        return err_set(err, errno, "cannot stat the cluster key %s: %m", path);
    if (st.st_mode & 077)
        return err_set(err, EPERM, "the cluster key %s can be read by others (mode %03o): chmod 600 it", path,
                       st.st_mode & 0777);
    if (read(fd, key->bytes, CRED_KEY_LEN) != CRED_KEY_LEN)
        return err_set(err, EINVAL, "the cluster key %s is not %d bytes long", path, CRED_KEY_LEN);
    return 0;
}

int cred_key_ensure(struct cred_key *key, const char *path, struct err *err)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        cred_random(key->bytes, CRED_KEY_LEN);
        if (write(fd, key->bytes, CRED_KEY_LEN) != CRED_KEY_LEN || fsync(fd))
            return err_set(err, errno, "cannot write the cluster key %s: %m", path);
        return 0;
    }
    if (errno != EEXIST)
        return err_set(err, errno, "cannot make the cluster key %s: %m", path);
    return cred_key_load(key, path, err);
}

void cred_random(void *out, size_t n)
{
    for (size_t got = 0; got < n;) {
        ssize_t k = getrandom((char *)out + got, n - got, 0);
        if (k > 0)
            got += (size_t)k;
    }
}

static void mac(const struct cred_key *key, enum cred_use use, const void *body, size_t len,
                uint8_t out[static MAC_LEN])
{
    crypto_generichash_state st;
    uint8_t tag[8] = { 's', 'p', 'u', 'r', 1, (uint8_t)use, 0, 0 };
    crypto_generichash_init(&st, key->bytes, CRED_KEY_LEN, MAC_LEN);
    crypto_generichash_update(&st, tag, sizeof(tag));
    crypto_generichash_update(&st, body, len);
    crypto_generichash_final(&st, out, MAC_LEN);
}

void cred_sign(const struct cred_key *key, enum cred_use use, const void *body, size_t len, struct buf *out)
{
    uint8_t sum[MAC_LEN];
    mac(key, use, body, len, sum);
    Pb__Signed s = PB__SIGNED__INIT;
    s.body.data = (uint8_t *)body;
    s.body.len = len;
    s.mac.data = sum;
    s.mac.len = MAC_LEN;
    size_t n = pb__signed__get_packed_size(&s);
    pb__signed__pack(&s, (uint8_t *)buf_room(out, n));
    out->len += n;
}

bool cred_verify(const struct cred_key *key, enum cred_use use, const Pb__Signed *s)
{
    uint8_t sum[MAC_LEN];
    if (!s || s->mac.len != MAC_LEN)
        return false;
    mac(key, use, s->body.data, s->body.len, sum);
    return !sodium_memcmp(sum, s->mac.data, MAC_LEN);
}

void cred_make(const struct cred_key *key, const Pb__Cred *cred, struct buf *out)
{
    auto_buf struct buf body = BUF_INIT;
    size_t n = pb__cred__get_packed_size(cred);
    pb__cred__pack(cred, (uint8_t *)buf_room(&body, n));
    cred_sign(key, (enum cred_use)cred->use, body.s, n, out);
}

Pb__Cred *cred_open(const struct cred_key *key, const Pb__Signed *s, enum cred_use use,
                    const uint8_t nonce[static CRED_NONCE_LEN], int64_t now_ms, struct err *err)
{
    if (!cred_verify(key, use, s)) {
        err_set(err, EACCES, "the credential's signature is wrong (is the cluster key the same on both machines?)");
        return NULL;
    }
    Pb__Cred *c = pb__cred__unpack(NULL, s->body.len, s->body.data);
    const char *wrong = !c                        ? "does not parse"
                        : c->use != (uint32_t)use ? "is for another use"
                        : c->nonce.len != CRED_NONCE_LEN || memcmp(c->nonce.data, nonce, CRED_NONCE_LEN)
                            ? "belongs to another connection"
                        : now_ms < c->issued_ms - CRED_TTL_MS || now_ms > c->expires_ms
                            ? "is out of date (are the clocks right?)"
                            : NULL;
    if (!wrong)
        return c;
    err_set(err, EACCES, "the credential %s", wrong);
    if (c)
        pb__cred__free_unpacked(c, NULL);
    return NULL;
}
