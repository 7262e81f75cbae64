/* cert - making certificates and reading them; see cert.h.  Checking is cert_store.c's. */
#include "io/cert.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "base/str.h"

#define DAY_S 86400
#define SERIAL_BITS 120

/* ---- PEM ---- */

static BIO *text_bio(const char *pem)
{
    return BIO_new_mem_buf(pem ? pem : "", -1);
}

static EVP_PKEY *read_key(const char *pem)
{
    BIO *b = text_bio(pem);
    EVP_PKEY *k = PEM_read_bio_PrivateKey(b, NULL, NULL, NULL);
    BIO_free(b);
    if (k && EVP_PKEY_get_id(k) != EVP_PKEY_ED25519) {
        EVP_PKEY_free(k);
        k = NULL;
    }
    return k;
}

static X509 *read_cert(const char *pem)
{
    BIO *b = text_bio(pem);
    X509 *x = PEM_read_bio_X509(b, NULL, NULL, NULL);
    BIO_free(b);
    return x;
}

/* What was written to `b`, which is freed. */
static void take_bio(BIO *b, struct buf *out)
{
    char *p;
    long n = BIO_get_mem_data(b, &p);
    buf_add(out, p, (size_t)MAX(n, 0));
    BIO_free(b);
}

static void add_cert(X509 *x, struct buf *out)
{
    BIO *b = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(b, x);
    take_bio(b, out);
}

void cert_make_key(struct buf *pem)
{
    EVP_PKEY *k = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    BIO *b = BIO_new(BIO_s_mem());
    if (!k || !PEM_write_bio_PrivateKey(b, k, NULL, NULL, 0, NULL, NULL))
        abort(); /* there is no randomness, or no memory */
    take_bio(b, pem);
    EVP_PKEY_free(k);
}

/* ---- roles ---- */

static bool name_ok(const char *name)
{
    return str_eq(name, "*") ||
           (*name && strlen(name) <= 64 &&
            !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")]);
}

static bool role_ok(const char *role)
{
    for (enum cred_role r = 0; r < CRED_ROLES; r++) {
        size_t len = strlen(cred_role_name[r]);
        if (!strncmp(role, cred_role_name[r], len) && role[len] == '/')
            return name_ok(role + len + 1);
    }
    return false;
}

int cert_roles_check(const char *roles, struct err *err)
{
    size_t n = 0;
    if (strlen(roles) > CERT_ROLES_MAX)
        return err_set(err, EINVAL, "the roles of one certificate are longer than %d bytes", CERT_ROLES_MAX);
    for (const char *pos = roles;; n++) {
        auto_free char *one = str_next(&pos, " ");
        if (!one)
            break;
        if (!role_ok(one))
            return err_set(err, EINVAL, "%s is no role: controller/ID, agent/NODE and host/NAME are", one);
    }
    return n ? 0 : err_set(err, EINVAL, "a certificate needs a role: controller/ID, agent/NODE or host/NAME");
}

/* ---- making ---- */

static bool add_extension(X509 *x, int nid, const char *value)
{
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    bool added = e && X509_add_ext(x, e, -1);
    X509_EXTENSION_free(e);
    return added;
}

static bool add_uris(X509 *x, const char *cluster, const char *roles)
{
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    for (const char *pos = roles;;) {
        auto_free char *one = str_next(&pos, " ");
        if (!one)
            break;
        auto_free char *uri = mem_printf("spur://%s/%s", cluster, one);
        GENERAL_NAME *name = GENERAL_NAME_new();
        ASN1_IA5STRING *text = ASN1_IA5STRING_new();
        ASN1_STRING_set(text, uri, -1);
        GENERAL_NAME_set0_value(name, GEN_URI, text);
        sk_GENERAL_NAME_push(names, name);
    }
    bool added = X509_add1_ext_i2d(x, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) == 1;
    GENERAL_NAMES_free(names);
    return added;
}

static X509 *new_cert(EVP_PKEY *key, const char *common_name, int64_t now_s, unsigned days)
{
    X509 *x = X509_new();
    BIGNUM *serial = BN_new();
    X509_set_version(x, X509_VERSION_3);
    BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
    BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(x));
    BN_free(serial);
    time_t from = (time_t)(now_s - DAY_S); /* clocks differ */
    time_t until = (time_t)(now_s + (int64_t)days * DAY_S);
    ASN1_TIME_set(X509_getm_notBefore(x), from);
    ASN1_TIME_set(X509_getm_notAfter(x), until);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8, (const uint8_t *)common_name, -1, -1, 0);
    X509_set_pubkey(x, key);
    return x;
}

int cert_make_ca(const char *key_pem, const char *cluster, int64_t now_s, struct buf *pem, struct err *err)
{
    EVP_PKEY *key = read_key(key_pem);
    if (!key || !name_ok(cluster) || strlen(cluster) > 40) {
        EVP_PKEY_free(key);
        return err_set(err, EINVAL, "cannot make a CA for cluster %s: %s", cluster,
                       key ? "the name has other characters than letters, digits, . _ -" : "its key cannot be read");
    }
    /* Two CAs of one cluster, during a rotation, have different names. */
    uint64_t random;
    cred_random(&random, sizeof(random));
    auto_free char *name = mem_printf("Spur %s %016llx", cluster, (unsigned long long)random);
    X509 *x = new_cert(key, name, now_s, CERT_CA_DAYS);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    bool made = add_extension(x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                add_extension(x, NID_key_usage, "critical,keyCertSign,cRLSign") && X509_sign(x, key, NULL);
    if (made)
        add_cert(x, pem);
    X509_free(x);
    EVP_PKEY_free(key);
    return made ? 0 : err_set(err, EIO, "cannot make the CA of cluster %s", cluster);
}

static bool sign_cert(X509 *x, X509 *ca, EVP_PKEY *ca_key, const char *cluster, const char *roles)
{
    return X509_set_issuer_name(x, X509_get_subject_name(ca)) &&
           add_extension(x, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(x, NID_key_usage, "critical,digitalSignature") && add_uris(x, cluster, roles) &&
           X509_sign(x, ca_key, NULL);
}

int cert_issue(const char *ca_pem, const char *ca_key_pem, const char *key_pem, const char *cluster, const char *roles,
               int64_t now_s, unsigned days, struct buf *pem, struct err *err)
{
    int rc = cert_roles_check(roles, err);
    if (rc)
        return rc;
    X509 *ca = read_cert(ca_pem), *x = NULL;
    EVP_PKEY *ca_key = read_key(ca_key_pem), *key = read_key(key_pem);
    if (!ca || !ca_key || !key || !X509_check_private_key(ca, ca_key)) {
        rc = err_set(err, EINVAL, "%s cannot be read, or is of another CA", !ca ? "the CA's certificate" :
                     !ca_key || key ? "the CA's key" : "the machine's key");
    } else {
        auto_free char *first = mem_strn(roles, strcspn(roles, " "));
        x = new_cert(key, first, now_s, days);
        rc = sign_cert(x, ca, ca_key, cluster, roles) ? 0 : err_set(err, EIO, "cannot sign a certificate");
    }
    if (!rc)
        add_cert(x, pem);
    X509_free(x);
    X509_free(ca);
    EVP_PKEY_free(key);
    EVP_PKEY_free(ca_key);
    return rc;
}

/* ---- reading ---- */

static bool read_secret(EVP_PKEY *key, uint8_t secret[static 64])
{
    size_t seed = 32, public_key = 32; /* libsodium keeps both in one */
    return EVP_PKEY_get_raw_private_key(key, secret, &seed) &&
           EVP_PKEY_get_raw_public_key(key, secret + 32, &public_key);
}

int cert_read_pair(struct cred_pair *out, const char *key_pem, const char *cert_pem, struct err *err)
{
    EVP_PKEY *key = read_key(key_pem);
    X509 *x = read_cert(cert_pem);
    int rc = 0, n = x ? i2d_X509(x, NULL) : 0;
    if (!key || !read_secret(key, out->secret))
        rc = err_set(err, EINVAL, "the machine's key is no Ed25519 key");
    else if (n <= 0)
        rc = err_set(err, EINVAL, "the machine's certificate does not parse");
    else if (!X509_check_private_key(x, key))
        rc = err_set(err, EINVAL, "the machine's certificate is of another key");
    if (!rc) {
        uint8_t *at = (uint8_t *)buf_room(&out->cert, (size_t)n);
        out->cert.len += (size_t)i2d_X509(x, &at);
    }
    EVP_PKEY_free(key);
    X509_free(x);
    return rc;
}

void cert_pair_clear(struct cred_pair *p)
{
    OPENSSL_cleanse(p->secret, sizeof(p->secret));
    buf_clear(&p->cert);
}

int cert_bundle_at(const char *bundle_pem, unsigned n, struct buf *pem)
{
    BIO *b = text_bio(bundle_pem);
    X509 *x = PEM_read_bio_X509(b, NULL, NULL, NULL);
    for (; x && n; n--) {
        X509_free(x);
        x = PEM_read_bio_X509(b, NULL, NULL, NULL);
    }
    if (x)
        add_cert(x, pem);
    int rc = x ? 0 : ENOENT;
    X509_free(x);
    BIO_free(b);
    return rc;
}

bool cert_issued_by(const char *cert_pem, const char *ca_pem)
{
    X509 *x = read_cert(cert_pem), *ca = read_cert(ca_pem);
    bool yes = x && ca && X509_verify(x, X509_get0_pubkey(ca)) == 1;
    X509_free(x);
    X509_free(ca);
    return yes;
}
