/* cert_store - which certificates are believed; see cert.h. */
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "io/cert.h"

#define SEEN_MAX 4096u   /* certificates that were checked and are remembered */
#define CERT_MAX 4096u   /* bytes of one, before anything of it is parsed */
#define URIS_MAX 64

/* A certificate that was found good: the signature is not checked a second time, its dates are. */
struct seen {
    uint64_t hash;
    struct buf der;
    struct cred_identity id;
};

struct cert_store {
    X509_STORE *cas;
    char *prefix; /* "spur://CLUSTER/" */
    struct smap revoked;
    VEC(char *) serials; /* the keys of `revoked` */
    struct map seen;
};

/* ---- life ---- */

static void seen_free(struct seen *s)
{
    buf_clear(&s->der);
    free(s->id.roles);
    free(s);
}

static void forget_seen(struct cert_store *s)
{
    size_t pos = 0;
    for (struct seen *one; (one = map_next(&s->seen, &pos, NULL));)
        seen_free(one);
    map_clear(&s->seen);
}

void cert_store_free(struct cert_store *s)
{
    if (!s)
        return;
    forget_seen(s);
    smap_clear(&s->revoked);
    for (size_t i = 0; i < s->serials.n; i++)
        free(s->serials.at[i]);
    vec_clear(&s->serials);
    X509_STORE_free(s->cas);
    free(s->prefix);
    free(s);
}

static void read_revoked(struct cert_store *s, const char *text)
{
    for (const char *pos = text ? text : "";;) {
        auto_free char *line = str_next(&pos, "\n");
        if (!line)
            return;
        line[strcspn(line, "# \t\r")] = '\0';
        if (!*line)
            continue;
        vec_push(&s->serials, mem_str(line));
        smap_put(&s->revoked, s->serials.at[s->serials.n - 1], s);
    }
}

int cert_store_new(struct cert_store **out, const char *bundle_pem, const char *revoked, const char *cluster,
                   struct err *err)
{
    struct cert_store *s = NEW(struct cert_store);
    BIO *b = BIO_new_mem_buf(bundle_pem ? bundle_pem : "", -1);
    size_t n = 0;
    s->cas = X509_STORE_new();
    s->prefix = mem_printf("spur://%s/", cluster);
    for (X509 *x; (x = PEM_read_bio_X509(b, NULL, NULL, NULL)); X509_free(x))
        n += X509_STORE_add_cert(s->cas, x) == 1;
    BIO_free(b);
    read_revoked(s, revoked);
    if (n) {
        *out = s;
        return 0;
    }
    cert_store_free(s);
    return err_set(err, EINVAL, "there is no CA certificate in it");
}

bool cert_revoked(const struct cert_store *s, const char *serial)
{
    return smap_get(&s->revoked, serial) != NULL;
}

/* ---- one certificate ---- */

static int64_t seconds_of(const ASN1_TIME *t)
{
    int days = 0, seconds = 0;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    bool ok = ASN1_TIME_diff(&days, &seconds, epoch, t);
    ASN1_TIME_free(epoch);
    return ok ? (int64_t)days * 86400 + seconds : 0;
}

/* The roles of this cluster among its URIs. */
static char *read_roles(const struct cert_store *s, X509 *x)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
    auto_buf struct buf out = BUF_INIT;
    size_t prefix = strlen(s->prefix);
    for (int i = 0; i < sk_GENERAL_NAME_num(names) && i < URIS_MAX; i++) {
        const GENERAL_NAME *n = sk_GENERAL_NAME_value(names, i);
        if (n->type != GEN_URI)
            continue;
        const char *uri = (const char *)ASN1_STRING_get0_data(n->d.uniformResourceIdentifier);
        size_t len = (size_t)ASN1_STRING_length(n->d.uniformResourceIdentifier);
        if (len <= prefix || memcmp(uri, s->prefix, prefix))
            continue;
        auto_free char *role = mem_strn(uri + prefix, len - prefix);
        if (strlen(role) == len - prefix && !cert_roles_check(role, NULL))
            buf_addf(&out, "%s%s", out.len ? " " : "", role);
    }
    GENERAL_NAMES_free(names);
    return buf_take(&out);
}

static void read_serial(X509 *x, char out[static 41])
{
    BIGNUM *n = ASN1_INTEGER_to_BN(X509_get0_serialNumber(x), NULL);
    char *text = n ? BN_bn2hex(n) : NULL;
    snprintf(out, 41, "%s", text ? text : "?");
    OPENSSL_free(text);
    BN_free(n);
}

static int read_identity(const struct cert_store *s, X509 *x, struct cred_identity *id, struct err *err)
{
    size_t len = sizeof(id->public_key);
    EVP_PKEY *key = X509_get0_pubkey(x);
    if (!key || EVP_PKEY_get_id(key) != EVP_PKEY_ED25519 || !EVP_PKEY_get_raw_public_key(key, id->public_key, &len))
        return err_set(err, EACCES, "the certificate's key is no Ed25519 key");
    read_serial(x, id->serial);
    id->from_s = seconds_of(X509_get0_notBefore(x));
    id->until_s = seconds_of(X509_get0_notAfter(x));
    id->roles = read_roles(s, x);
    if (!str_empty(id->roles))
        return 0;
    return err_set(err, EACCES, "the certificate has no role in cluster %.*s", (int)strlen(s->prefix) - 8,
                   s->prefix + 7);
}

/* Is it signed by one of the CAs?  Its dates are looked at elsewhere, each time. */
static int check_chain(const struct cert_store *s, X509 *x, struct err *err)
{
    X509_STORE_CTX *c = X509_STORE_CTX_new();
    int rc = 0;
    if (!X509_STORE_CTX_init(c, s->cas, x, NULL))
        rc = err_set(err, ENOMEM, "the certificate cannot be checked");
    else
        X509_STORE_CTX_set_flags(c, X509_V_FLAG_NO_CHECK_TIME);
    if (!rc && X509_verify_cert(c) != 1)
        rc = err_set(err, EACCES, "the certificate is not of this cluster's CA (%s)",
                     X509_verify_cert_error_string(X509_STORE_CTX_get_error(c)));
    X509_STORE_CTX_free(c);
    return rc;
}

static struct seen *check_new(struct cert_store *s, const void *der, size_t len, uint64_t hash, struct err *err)
{
    const uint8_t *at = der;
    X509 *x = d2i_X509(NULL, &at, (long)len);
    struct seen *one = NEW(struct seen);
    int rc = x && at == (const uint8_t *)der + len ? 0 : err_set(err, EACCES, "the certificate does not parse");
    if (!rc && X509_check_ca(x))
        rc = err_set(err, EACCES, "the certificate is a CA's and no machine's");
    if (!rc)
        rc = check_chain(s, x, err);
    if (!rc)
        rc = read_identity(s, x, &one->id, err);
    X509_free(x);
    if (rc) {
        seen_free(one);
        return NULL;
    }
    one->hash = hash;
    buf_add(&one->der, der, len);
    return one;
}

static struct seen *find_seen(struct cert_store *s, const void *der, size_t len, uint64_t hash)
{
    struct seen *one = map_get(&s->seen, hash);
    return one && one->der.len == len && !memcmp(one->der.s, der, len) ? one : NULL;
}

static void remember(struct cert_store *s, struct seen *one)
{
    if (s->seen.n >= SEEN_MAX)
        forget_seen(s);
    struct seen *old = map_put(&s->seen, one->hash, one);
    if (old)
        seen_free(old);
}

const struct cred_identity *cert_check(struct cert_store *s, const void *der, size_t len, int64_t now_s,
                                       struct err *err)
{
    uint64_t hash = map_hash_bytes(der, MIN(len, CERT_MAX));
    if (len > CERT_MAX) {
        err_set(err, EACCES, "the certificate is longer than %u bytes", CERT_MAX);
        return NULL;
    }
    struct seen *one = find_seen(s, der, len, hash);
    if (!one) {
        one = check_new(s, der, len, hash, err);
        if (!one)
            return NULL;
        remember(s, one);
    }
    if (now_s < one->id.from_s || now_s > one->id.until_s) {
        err_set(err, EACCES, "the certificate %s of %s is out of date", one->id.serial, one->id.roles);
        return NULL;
    }
    if (cert_revoked(s, one->id.serial)) {
        err_set(err, EACCES, "the certificate %s of %s is revoked", one->id.serial, one->id.roles);
        return NULL;
    }
    return &one->id;
}
