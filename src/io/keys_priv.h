/*
 * keys_priv - the files of a key folder, for keys.c (a daemon's use of them) and keys_ca.c (the CA's work).
 */
#ifndef SPUR_IO_KEYS_PRIV_H
#define SPUR_IO_KEYS_PRIV_H

#include "io/keys.h"

/* Append the file to `out`: ENOENT without a sentence if there is none. */
int keys_read(const struct keys_conf *conf, const char *name, bool is_public, struct buf *out, struct err *err);
/* Replace the file at once, or leave it as it was. */
int keys_write(const char *dir, const char *name, bool is_public, const struct buf *text, struct err *err);
/* The folder, made if it is missing, locked until the descriptor is closed. */
int keys_lock(const struct keys_conf *conf, int *fd, struct err *err);

/* With the lock held. */
int keys_ca_new(const struct keys_conf *conf, struct err *err);
/* machine.key and machine.crt have the roles of `conf`, if this machine can make it so. */
int keys_ensure_machine(const struct keys_conf *conf, struct err *err);

#endif
