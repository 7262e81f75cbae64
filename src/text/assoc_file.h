/*
 * assoc_file - QOS, accounts and users with their limits, in the flat file that `sacctmgr dump` writes and `load`
 * reads.
 *
 *     QOS - high:Priority=100:MaxJobsPerUser=4
 *     Cluster - tux:FairShare=1
 *     Parent - root
 *     Account - physics:FairShare=40:GrpTRES=gres/gpu=16
 *     Parent - physics
 *     User - ann:DefaultAccount=physics:FairShare=1
 *
 * Limits of accounts and users are as written; inheritance is not applied here.
 */
#ifndef SPUR_TEXT_ASSOC_FILE_H
#define SPUR_TEXT_ASSOC_FILE_H

#include "text/limits.h"
#include "text/strs.h"

#define SHARES_PARENT UINT32_MAX /* FairShare=parent: it stands in its account's place */
#define EXEMPT_UNSET UINT32_MAX

enum qos_flag { /* Slurm's Flags of a QOS that are acted on */
    QOS_DENY_ON_LIMIT = 1,
    QOS_OVER_PART = 2,
    QOS_NO_RESERVE = 4,
    QOS_PART_TIME = 8,      /* PartitionTimeLimit: the partition's does not hold */
    QOS_PART_MAX_NODES = 16,
    QOS_PART_MIN_NODES = 32,
    QOS_NO_DECAY = 64,
    QOS_ENFORCE_THRESHOLD = 128,
    QOS_NEEDS_RESV = 256,
    QOS_FACTOR_SAFE = 512,
    QOS_RELATIVE = 1024,
};

struct assoc_file_qos {
    char *name, *description, *preempt, *preempt_mode;
    uint32_t priority, grace_s, exempt_s, flags;
    double usage_factor;
    double limit_factor;    /* 0: none */
    double usage_threshold; /* below 0: none */
    struct limit_list limits;
};

enum assoc_file_admin { ADMIN_LEVEL_NONE, ADMIN_LEVEL_OPERATOR, ADMIN_LEVEL_FULL, ADMIN_LEVELS };

struct assoc_file_assoc {
    char *account;
    char *parent;    /* of an account; NULL at the top */
    char *user;      /* NULL: the account itself */
    char *partition; /* NULL: any */
    char *qos, *def_qos, *description, *organization;
    uint32_t shares, priority;
    bool is_default; /* the user's account when none is named */
    /* of the user, whichever association it is told with; by commas */
    char *coordinates, *def_wckey, *wckeys;
    unsigned admin; /* enum assoc_file_admin */
    struct limit_list limits;
};

struct assoc_file {
    char *cluster;
    VEC(struct assoc_file_qos) qos;
    VEC(struct assoc_file_assoc) assoc; /* an account stands before its users; "root" first */
    struct strs warnings; /* what was read and is not acted on, a sentence each */
};

#define ASSOC_FILE_LINE 8192

/* EINVAL names line and word. */
int assoc_file_parse(const char *text, size_t len, struct assoc_file *out, struct err *err);
void assoc_file_clear(struct assoc_file *r);

char *assoc_file_text(const struct assoc_file *r); /* yours */

/* "None", "Operator", "Administrator"; by a word that begins so.  -1: none of them. */
int admin_level_parse(const char *word);
const char *admin_level_text(unsigned level);

uint32_t qos_flag(const char *word); /* 0: none that is acted on */
char *qos_flags_text(uint32_t flags); /* yours; "" */

#endif
