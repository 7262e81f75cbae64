/*
 * keys - a machine's key folder (SpurKeyDir): its key, the CAs that it trusts, and perhaps a CA's key.
 *
 *     ca.crt        the cluster's CAs; new certificates are signed by the first          0644
 *     machine.key   this machine's key                                                    0600
 *     machine.crt   its certificate, with this machine's roles (cert.h)                   0644
 *     revoked       serial numbers of certificates that are not believed any more         0644, may be missing
 *     ca.key        the key of the first CA: on one controller, or kept elsewhere         0600, may be missing
 *
 * Files belong to root or to the daemon's user, and others cannot write them.  A machine with ca.key makes what is
 * missing by itself; any other machine gets its files from there (`spur key issue`).
 */
#ifndef SPUR_IO_KEYS_H
#define SPUR_IO_KEYS_H

#include "io/cert.h"
#include "wire/cred.h"

struct keys_conf {
    const char *dir, *cluster;
    const char *roles; /* that this process needs: "controller/1"; NULL: none, it never serves and never signs */
    bool found;        /* without ca.crt a CA is made here */
    uid_t owner;       /* SlurmUser: files may also belong to it */
};

/* The key to give to links and to signatures; what is missing is made where it can be.  Close what you open. */
int keys_open(struct cred_key *key, const struct keys_conf *conf, struct err *err);
void keys_close(struct cred_key *key);
/* Read the folder again: new connections and signatures use what is there now.  After an error all is as before. */
int keys_reload(const struct cred_key *key, struct err *err);
/* What this machine's certificate says; NULL: there is none. */
const struct cred_identity *keys_self(const struct cred_key *key);

/* ---- the CA's work; all of it takes the folder's lock ---- */
int keys_make_ca(const struct keys_conf *conf, struct err *err); /* EEXIST: there is one */
/* A key and a certificate with these roles, and ca.crt and revoked, into the folder `to`, to be copied to a machine. */
int keys_issue(const struct keys_conf *conf, const char *roles, const char *to, unsigned days, struct err *err);
int keys_revoke(const struct keys_conf *conf, const char *serial, struct err *err);
/* Rotation, in three steps with a copy of ca.crt to all machines and a reconfigure after each: a second CA is trusted;
 * it signs; the first is dropped. */
enum keys_rotation { KEYS_ROTATE_ADD, KEYS_ROTATE_SWITCH, KEYS_ROTATE_DROP };
int keys_rotate(const struct keys_conf *conf, enum keys_rotation step, struct err *err);

#endif
