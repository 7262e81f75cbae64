/*
 * cert - certificates of a cluster's machines: made, read, checked.
 *
 * All keys are Ed25519.  The cluster has a CA; a machine's certificate names its roles as URIs:
 * spur://CLUSTER/controller/ID, spur://CLUSTER/agent/NODE, spur://CLUSTER/host/NAME.  The name * stands for any name.
 * Keys and certificates come and go as PEM text; files are keys.h's.  Nothing here reads a clock.
 */
#ifndef SPUR_IO_CERT_H
#define SPUR_IO_CERT_H

#include "wire/cred.h"

#define CERT_CA_DAYS 3653
#define CERT_DAYS 1096        /* of a machine's certificate */
#define CERT_ROLES_MAX 2048   /* bytes of the roles in one certificate: it has to fit into a hello */
#define CERT_FILE_MAX 65536u  /* bytes of a PEM file */

/* ---- making ---- */
void cert_make_key(struct buf *pem);
/* A CA of this cluster, signed with itself. */
int cert_make_ca(const char *key_pem, const char *cluster, int64_t now_s, struct buf *pem, struct err *err);
/* A machine's certificate: the key `key_pem` has these roles ("agent/n1 host/login"), by the CA `ca_pem`. */
int cert_issue(const char *ca_pem, const char *ca_key_pem, const char *key_pem, const char *cluster, const char *roles,
               int64_t now_s, unsigned days, struct buf *pem, struct err *err);
/* Are these roles that a certificate may have? */
int cert_roles_check(const char *roles, struct err *err);

/* ---- reading ---- */
int cert_read_pair(struct cred_pair *out, const char *key_pem, const char *cert_pem, struct err *err);
void cert_pair_clear(struct cred_pair *p);
/* The n-th certificate of a bundle, as PEM text; ENOENT: there are fewer. */
int cert_bundle_at(const char *bundle_pem, unsigned n, struct buf *pem);
/* Was `cert_pem` signed with the key of the CA `ca_pem`? */
bool cert_issued_by(const char *cert_pem, const char *ca_pem);

/* ---- checking ---- */
struct cert_store;
/* The CAs of `bundle_pem` are trusted for the cluster `cluster`.  `revoked`: serial numbers, one a line, # for
 * comments; NULL: none. */
int cert_store_new(struct cert_store **out, const char *bundle_pem, const char *revoked, const char *cluster,
                   struct err *err);
void cert_store_free(struct cert_store *s); /* NULL is welcome */
/* The holder of a certificate (DER) that is valid at `now_s`; NULL with a reason.  Borrowed until the next call. */
const struct cred_identity *cert_check(struct cert_store *s, const void *der, size_t len, int64_t now_s,
                                       struct err *err);
bool cert_revoked(const struct cert_store *s, const char *serial);

#endif
