/*
 * keyring - key folders for tests: a CA in a folder of its own, and machines with certificates of it.
 */
#ifndef SPUR_TEST_KEYRING_H
#define SPUR_TEST_KEYRING_H

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/keys.h"

/* The folder below which all key folders of this process are; removed by keyring_remove. */
static char keyring_dir[] = "/tmp/spur-keys-XXXXXX";

static inline struct keys_conf keyring_conf(const char *name, const char *roles)
{
    static char path[64][300];
    static unsigned next;
    char *at = path[next++ % 64];
    if (!strcmp(keyring_dir + strlen(keyring_dir) - 6, "XXXXXX") && !mkdtemp(keyring_dir))
        abort();
    snprintf(at, sizeof(path[0]), "%s/%s", keyring_dir, name);
    return (struct keys_conf){ .dir = at, .cluster = "test", .roles = roles };
}

/* The key of a machine with these roles, by the CA in the folder `ca`, which is made if it is missing. */
static inline struct cred_key keyring_machine(const char *ca, const char *name, const char *roles)
{
    struct keys_conf authority = keyring_conf(ca, NULL), machine = keyring_conf(name, roles);
    struct cred_key key;
    struct err err = ERR_INIT;
    if (keys_make_ca(&authority, &err) == EEXIST)
        err = (struct err)ERR_INIT;
    if (err.code || keys_issue(&authority, roles, machine.dir, 30, &err) || keys_open(&key, &machine, &err)) {
        fprintf(stderr, "keyring: %s\n", err.text);
        abort();
    }
    return key;
}

static inline void keyring_remove(void)
{
    char command[320];
    snprintf(command, sizeof(command), "rm -rf %s", keyring_dir);
    if (system(command))
        perror("rm");
}

#endif
