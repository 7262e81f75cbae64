/* tls - TLS 1.3 by OpenSSL; see tls.h. */
#include "io/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>

#include "base/str.h"

#define SECRET_MAX 64
#define BINDING_LABEL "EXPORTER-spur-hello"

struct tls {
    SSL *ssl;
    int fd; /* -1: in memory */
    const char *in;
    size_t in_len;
    struct buf out;
    struct cred_trust *trust;
    enum cred_role role; /* of the server, seen by the client */
    char name[80];       /* "": any */
    uint8_t secret[SECRET_MAX];
    size_t secret_len;
    bool eof;
    struct err why; /* of a refused certificate */
};

/* ---- the bytes below: memory or a socket ---- */

static int bio_take(BIO *b, char *p, int len)
{
    struct tls *t = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    if (t->fd < 0) {
        size_t n = MIN((size_t)len, t->in_len);
        if (!n) {
            BIO_set_retry_read(b);
            return -1;
        }
        memcpy(p, t->in, n);
        t->in += n;
        t->in_len -= n;
        return (int)n;
    }
    ssize_t n;
    do
        n = recv(t->fd, p, (size_t)len, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        BIO_set_retry_read(b);
    t->eof |= !n;
    return (int)n;
}

static int bio_give(BIO *b, const char *p, int len)
{
    struct tls *t = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    if (t->fd < 0) {
        buf_add(&t->out, p, (size_t)len);
        return len;
    }
    ssize_t n;
    do
        n = send(t->fd, p, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        BIO_set_retry_write(b);
    return (int)n;
}

static long bio_control(BIO *b, int cmd, long num, void *p)
{
    return cmd == BIO_CTRL_FLUSH ? 1 : 0;
}

static BIO *bio_new(struct tls *t)
{
    static BIO_METHOD *method;
    if (!method) {
        method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "spur");
        BIO_meth_set_read(method, bio_take);
        BIO_meth_set_write(method, bio_give);
        BIO_meth_set_ctrl(method, bio_control);
    }
    BIO *b = BIO_new(method);
    BIO_set_data(b, t);
    BIO_set_init(b, 1);
    return b;
}

/* ---- certificates ---- */

static bool role_fits(struct tls *t, const struct cred_identity *id)
{
    if (cred_identity_has(id, t->role, t->name[0] ? t->name : NULL))
        return true;
    err_set(&t->why, EACCES, "the machine at the other end is %s, not %s/%s", id->roles, cred_role_name[t->role],
            str_or(t->name, "*"));
    return false;
}

/* Replaces OpenSSL's own check: the rules for certificates in handshakes and in signatures are the same code. */
static int check_server(X509_STORE_CTX *c, void *arg)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(c, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tls *t = SSL_get_app_data(ssl);
    X509 *x = X509_STORE_CTX_get0_cert(c);
    uint8_t *der = NULL;
    int len = x ? i2d_X509(x, &der) : -1;
    const struct cred_identity *id = len > 0 ? t->trust->check(t->trust, der, (size_t)len, &t->why) : NULL;
    bool good = id && role_fits(t, id);
    OPENSSL_free(der);
    if (!good)
        X509_STORE_CTX_set_error(c, X509_V_ERR_APPLICATION_VERIFICATION);
    return good;
}

static SSL_CTX *new_context(bool server)
{
    SSL_CTX *c = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
    if (!c)
        return NULL;
    SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256");
    SSL_CTX_set1_groups_list(c, "X25519");
    SSL_CTX_set1_sigalgs_list(c, "ed25519");
    SSL_CTX_set_num_tickets(c, 0);
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return c;
}

static bool use_pair(SSL_CTX *c, const struct cred_pair *own)
{
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, own->secret, 32);
    bool used = key && SSL_CTX_use_certificate_ASN1(c, (int)own->cert.len, (const uint8_t *)own->cert.s) == 1 &&
                SSL_CTX_use_PrivateKey(c, key) == 1;
    EVP_PKEY_free(key);
    return used;
}

int tls_identity_init(struct tls_identity *id, const struct cred_pair *own, struct err *err)
{
    SSL_CTX *client = new_context(false), *server = own ? new_context(true) : NULL;
    if (!client || (own && (!server || !use_pair(server, own)))) {
        SSL_CTX_free(client);
        SSL_CTX_free(server);
        return err_set(err, EINVAL, "TLS cannot use the machine's certificate: %s",
                       str_or(ERR_reason_error_string(ERR_peek_last_error()), "?"));
    }
    SSL_CTX_set_verify(client, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(client, check_server, NULL);
    tls_identity_clear(id);
    id->client = client;
    id->server = server;
    return 0;
}

void tls_identity_clear(struct tls_identity *id)
{
    SSL_CTX_free(take(id->client));
    SSL_CTX_free(take(id->server));
}

/* ---- a secret instead of certificates ---- */

static SSL_SESSION *secret_session(SSL *ssl)
{
    static const unsigned char suite[] = { 0x13, 0x01 }; /* TLS_AES_128_GCM_SHA256 */
    struct tls *t = SSL_get_app_data(ssl);
    SSL_SESSION *s = SSL_SESSION_new();
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, suite);
    if (s && cipher && SSL_SESSION_set1_master_key(s, t->secret, t->secret_len) &&
        SSL_SESSION_set_cipher(s, cipher) && SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION))
        return s;
    SSL_SESSION_free(s);
    return NULL;
}

static const unsigned char secret_id[] = "spur-step";

static int offer_secret(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *len, SSL_SESSION **out)
{
    *out = secret_session(ssl);
    *id = secret_id;
    *len = sizeof(secret_id) - 1;
    return *out != NULL;
}

static int find_secret(SSL *ssl, const unsigned char *id, size_t len, SSL_SESSION **out)
{
    bool ours = len == sizeof(secret_id) - 1 && !memcmp(id, secret_id, len);
    *out = ours ? secret_session(ssl) : NULL;
    return 1;
}

static SSL_CTX *secret_context(bool server)
{
    static SSL_CTX *made[2];
    if (made[server])
        return made[server];
    SSL_CTX *c = made[server] = new_context(server);
    SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256");
    if (server) {
        SSL_CTX_set_psk_find_session_callback(c, find_secret);
    } else {
        SSL_CTX_set_psk_use_session_callback(c, offer_secret);
        SSL_CTX_set_verify(c, SSL_VERIFY_PEER, NULL); /* no certificate stands in for the secret */
    }
    return c;
}

/* ---- life ---- */

static struct tls *tls_new(SSL_CTX *c, bool server, struct cred_trust *trust)
{
    struct tls *t = NEW(struct tls);
    t->fd = -1;
    t->trust = trust;
    t->ssl = c ? SSL_new(c) : NULL;
    if (!t->ssl)
        return t; /* every call fails */
    BIO *b = bio_new(t);
    SSL_set_bio(t->ssl, b, b);
    SSL_set_app_data(t->ssl, t);
    if (server)
        SSL_set_accept_state(t->ssl);
    else
        SSL_set_connect_state(t->ssl);
    return t;
}

static struct tls_identity *identity_of(const struct cred_key *key)
{
    return CONTAINER_OF(key->trust, struct tls_identity, trust);
}

struct tls *tls_serve(const struct cred_key *key)
{
    return tls_new(identity_of(key)->server, true, key->trust);
}

struct tls *tls_connect(const struct cred_key *key, enum cred_role role, const char *name)
{
    struct tls *t = tls_new(identity_of(key)->client, false, key->trust);
    t->role = role;
    snprintf(t->name, sizeof(t->name), "%s", str_or(name, ""));
    return t;
}

static struct tls *tls_by_secret(const void *secret, size_t len, bool server)
{
    struct tls *t = tls_new(secret_context(server), server, NULL);
    t->secret_len = MIN(len, sizeof(t->secret));
    memcpy(t->secret, secret, t->secret_len);
    return t;
}

struct tls *tls_serve_secret(const void *secret, size_t len)
{
    return tls_by_secret(secret, len, true);
}

struct tls *tls_connect_secret(const void *secret, size_t len)
{
    return tls_by_secret(secret, len, false);
}

void tls_free(struct tls *t)
{
    if (!t)
        return;
    SSL_free(t->ssl);
    buf_clear(&t->out);
    OPENSSL_cleanse(t->secret, sizeof(t->secret));
    free(t);
}

/* ---- steps ---- */

void tls_use_fd(struct tls *t, int fd)
{
    t->fd = fd;
}

void tls_feed(struct tls *t, const void *p, size_t len)
{
    t->in = p;
    t->in_len = len;
}

struct buf *tls_out(struct tls *t)
{
    return &t->out;
}

static int broken(struct tls *t, struct err *err)
{
    unsigned long code = ERR_peek_last_error();
    const char *text = code ? ERR_reason_error_string(code) : NULL;
    if (t->why.code)
        return err_set(err, t->why.code, "%s", t->why.text);
    if (t->eof && !code)
        return err_set(err, ECONNRESET, "the connection was closed");
    if (code && ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER)
        return err_set(err, EPROTO, "the other side does not speak TLS (is SpurTransport the same there?)");
    return err_set(err, code ? EPROTO : errno ? errno : EPROTO, "TLS: %s", str_or(text, code ? "failed" : "broken"));
}

/* What a call of OpenSSL's means that returned `rc`. */
static int verdict(struct tls *t, int rc, struct err *err)
{
    switch (SSL_get_error(t->ssl, rc)) {
    case SSL_ERROR_NONE: return 0;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return EAGAIN;
    case SSL_ERROR_ZERO_RETURN: return err_set(err, ECONNRESET, "the connection was closed");
    default: return broken(t, err);
    }
}

static bool usable(struct tls *t, struct err *err)
{
    ERR_clear_error();
    errno = 0;
    if (!t->ssl)
        err_set(err, EACCES, "this process has no certificate to serve with");
    return t->ssl;
}

int tls_handshake(struct tls *t, struct err *err)
{
    return usable(t, err) ? verdict(t, SSL_do_handshake(t->ssl), err) : EACCES;
}

bool tls_begun(const struct tls *t)
{
    return t->ssl && !SSL_in_before(t->ssl);
}

bool tls_is_open(const struct tls *t)
{
    return t->ssl && SSL_is_init_finished(t->ssl);
}

bool tls_wants_out(const struct tls *t)
{
    return t->ssl && SSL_want_write(t->ssl);
}

int tls_read(struct tls *t, void *p, size_t len, size_t *n, struct err *err)
{
    *n = 0;
    return usable(t, err) ? verdict(t, SSL_read_ex(t->ssl, p, len, n), err) : EACCES;
}

int tls_write(struct tls *t, const void *p, size_t len, size_t *n, struct err *err)
{
    *n = 0;
    if (!usable(t, err))
        return EACCES;
    for (size_t k; *n < len; *n += k) {
        int rc = verdict(t, SSL_write_ex(t->ssl, (const char *)p + *n, len - *n, &k), err);
        if (rc)
            return rc == EAGAIN && *n ? 0 : rc;
        if (t->fd >= 0) { /* one record at a time: the caller counts what has left */
            *n = k;
            return 0;
        }
    }
    return 0;
}

void tls_binding(struct tls *t, uint8_t out[static CRED_BINDING_LEN])
{
    if (!tls_is_open(t) || !SSL_export_keying_material(t->ssl, out, CRED_BINDING_LEN, BINDING_LABEL,
                                                      strlen(BINDING_LABEL), NULL, 0, 0))
        cred_random(out, CRED_BINDING_LEN); /* no credential fits */
}
