/*
 * scontrol_update - scontrol update, create and delete.
 *
 * Keys may be shortened and in any case; here they get the name that the controller knows.  It reads the values.
 */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/names.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "text/strs.h"

enum kind { /* those of an UpdateRequest, and two that are not sent */
    KIND_JOB = PB__UPDATE_KIND__UPDATE_JOB,
    KIND_NODE = PB__UPDATE_KIND__UPDATE_NODE,
    KIND_PART = PB__UPDATE_KIND__UPDATE_PART,
    KIND_STEP = PB__UPDATE_KIND__UPDATE_STEP,
    KIND_RESV = PB__UPDATE_KIND__UPDATE_RESV,
    KIND_REFUSED,
    KIND_NONE
};

struct key {
    const char *name;             /* the controller's */
    const char *words;            /* other names of it, by comma */
    unsigned min;                 /* letters that are enough */
};

static const struct key job_keys[] = {
    { "JobId", NULL, 3 },
    { "Account", NULL, 1 },
    { "AdminComment", NULL, 3 },
    { "ArrayTaskThrottle", NULL, 10 },
    { "Comment", NULL, 3 },
    { "Contiguous", NULL, 3 },
    { "CPUsPerTask", NULL, 9 },
    { "Deadline", NULL, 3 },
    { "Dependency", NULL, 1 },
    { "EligibleTime", NULL, 2 },
    { "ExcNodeList", NULL, 3 },
    { "Extra", NULL, 5 },
    { "Features", NULL, 1 },
    { "Gres", NULL, 2 },
    { "JobName", "Name", 4 },
    { "Licenses", NULL, 1 },
    { "MailUser", NULL, 5 },
    { "MinCPUsNode", NULL, 4 },
    { "MinMemoryCPU", NULL, 10 },
    { "MinMemoryNode", NULL, 10 },
    { "Nice", NULL, 2 },
    { "NodeList", NULL, 5 },
    { "NumCPUs", NULL, 6 },
    { "NumNodes", NULL, 4 },
    { "NumTasks", NULL, 6 },
    { "Partition", NULL, 2 },
    { "Prefer", NULL, 3 },
    { "Priority", NULL, 2 },
    { "QOS", NULL, 1 },
    { "ReqNodeList", NULL, 8 },
    { "ReservationName", "Reservation", 3 },
    { "Requeue", NULL, 4 },
    { "SiteFactor", NULL, 5 },
    { "StartTime", NULL, 2 },
    { "StdErr", NULL, 4 },
    { "StdIn", NULL, 4 },
    { "StdOut", NULL, 4 },
    { "TimeLimit", NULL, 5 },
    { "TresPerNode", NULL, 8 },
    { "WCKey", NULL, 1 },
    { "WorkDir", NULL, 3 },
    { "BurstBuffer", NULL, 2 },
    { "Clusters", NULL, 8 },
    { "ClusterFeatures", NULL, 8 },
    { "CoreSpec", NULL, 4 },
    { "DelayBoot", NULL, 5 },
    { "EndTime", NULL, 2 },
    { "MailType", NULL, 5 },
    { "MCSLabel", NULL, 1 },
    { "MinTmpDiskNode", NULL, 4 },
    { "OverSubscribe", "Shared", 2 },
    { "Reboot", NULL, 3 },
    { "ReqCores", NULL, 4 },
    { "ReqNodes", NULL, 8 },
    { "ReqProcs", NULL, 4 },
    { "ReqSockets", NULL, 4 },
    { "ReqThreads", NULL, 4 },
    { "ResetAccrueTime", NULL, 5 },
    { "Switches", NULL, 2 },
    { "TasksPerNode", NULL, 2 },
    { "ThreadSpec", NULL, 4 },
    { "TimeMin", NULL, 5 },
    { "TresPerJob", NULL, 8 },
    { "UserID", NULL, 4 },
    { "wait-for-switch", NULL, 4 },
    { 0 },
};

static const struct key node_keys[] = {
    { "NodeName", "Node", 5 },
    { "ActiveFeatures", NULL, 3 },
    { "AvailableFeatures", NULL, 3 },
    { "Comment", NULL, 3 },
    { "Extra", NULL, 3 },
    { "Features", NULL, 1 },
    { "Gres", NULL, 1 },
    { "Reason", NULL, 1 },
    { "State", NULL, 1 },
    { "Weight", NULL, 1 },
    { 0 },
};

/* The keys of a partition are the same as in slurm.conf; the controller knows them all. */
static const struct key part_keys[] = {
    { "PartitionName", "Partition", 4 },
    { "AllocNodes", NULL, 6 },
    { "AllowAccounts", NULL, 6 },
    { "AllowGroups", NULL, 6 },
    { "AllowQos", NULL, 6 },
    { "Alternate", NULL, 3 },
    { "Default", NULL, 7 },
    { "DefaultTime", NULL, 8 },
    { "DefMemPerCPU", NULL, 10 },
    { "DefMemPerNode", NULL, 10 },
    { "DenyAccounts", NULL, 5 },
    { "DenyQos", NULL, 5 },
    { "DisableRootJobs", NULL, 3 },
    { "Exclusive", NULL, 9 },
    { "ExclusiveUser", NULL, 3 },
    { "GraceTime", NULL, 1 },
    { "Hidden", NULL, 1 },
    { "JobDefaults", NULL, 3 },
    { "LLN", NULL, 1 },
    { "MaxCPUsPerNode", NULL, 10 },
    { "MaxCPUsPerSocket", NULL, 10 },
    { "MaxMemPerCPU", NULL, 10 },
    { "MaxMemPerNode", NULL, 10 },
    { "MaxNodes", NULL, 4 },
    { "MaxTime", NULL, 4 },
    { "MinNodes", NULL, 2 },
    { "Nodes", NULL, 1 },
    { "OverSubscribe", "Shared", 5 },
    { "OverTimeLimit", NULL, 5 },
    { "PowerDownOnIdle", NULL, 3 },
    { "PreemptMode", NULL, 3 },
    { "PriorityJobFactor", NULL, 9 },
    { "PriorityTier", NULL, 9 },
    { "QoS", NULL, 3 },
    { "ReqResv", NULL, 3 },
    { "RootOnly", NULL, 2 },
    { "State", NULL, 2 },
    { "TRESBillingWeights", NULL, 4 },
    { 0 },
};

static const struct key step_keys[] = { { "StepId", NULL, 4 }, { "TimeLimit", NULL, 5 }, { 0 } };

static const struct key *const keys[] = { job_keys, node_keys, part_keys, step_keys };

static const struct key *find_key(enum kind kind, const char *text, size_t len)
{
    auto_free char *word = mem_strn(text, len);
    for (const struct key *k = keys[kind]; k->name; k++)
        if (str_ieq(k->name, word) || (k->words && str_ieq(k->words, word)))
            return k;
    for (const struct key *k = keys[kind]; k->name; k++)
        if (len >= k->min && str_has_iprefix(k->name, word))
            return k;
    return NULL;
}

/* ---- pairs ---- */

struct pairs {
    VEC(Pb__Pair *) pair;
    struct strs owned;
};

static void pairs_clear(struct pairs *p)
{
    for (size_t i = 0; i < p->pair.n; i++)
        free(p->pair.at[i]);
    vec_clear(&p->pair);
    strs_clear(&p->owned);
}

static void add_pair(struct pairs *p, const char *key, const char *value, const char *op)
{
    Pb__Pair *pair = NEW(Pb__Pair);
    pb__pair__init(pair);
    strs_add(&p->owned, value);
    pair->key = (char *)key;
    pair->value = p->owned.at[p->owned.n - 1];
    pair->op = (char *)op;
    vec_push(&p->pair, pair);
}

static int unknown_key(const struct scontrol *s, enum kind kind, const char *arg)
{
    if (s->quiet)
        return 1;
    if (kind == KIND_PART) {
        say_error("Update of this parameter is not supported: %s\n", arg);
        say_error("Request aborted");
        return 1;
    }
    scontrol_fail(s, "Update of this parameter is not supported: %s", arg);
    return scontrol_fail(s, "Request aborted");
}

static bool known_state(const char *word)
{
    static const char *const words[] = { "DOWN",     "DRAIN",  "FAIL",       "FAILING",         "FENCED",
                                         "FUTURE",   "IDLE",   "NORESP",     "POWER_DOWN",      "POWER_DOWN_ASAP",
                                         "POWER_DOWN_FORCE", "POWER_UP", "RESUME", "UNDRAIN" };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ieq(words[i], word) || (strlen(word) >= 3 && str_has_iprefix(words[i], word)))
            return true;
    return false;
}

static int unknown_state(const struct scontrol *s, const char *arg)
{
    scontrol_fail(s, "Invalid input: %s", arg);
    scontrol_fail(s, "Request aborted");
    scontrol_fail(s, "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN");
    return scontrol_fail(s, "Not all states are valid given a node's prior state");
}

/* "Key=value", "Key+=value", "Key-=value" */
static int read_pair(const struct scontrol *s, struct pairs *p, enum kind kind, const char *arg)
{
    const char *equals = strchr(arg, '=');
    if (!equals && kind == KIND_JOB && (str_ieq(arg, "Nice") || str_ieq(arg, "ResetAccrueTime"))) {
        add_pair(p, str_ieq(arg, "Nice") ? "Nice" : "ResetAccrueTime", str_ieq(arg, "Nice") ? "100" : "", "=");
        return 0;
    }
    if (!equals) {
        scontrol_fail(s, "Invalid input: %s", arg);
        return scontrol_fail(s, "Request aborted");
    }
    bool signedly = equals > arg && (equals[-1] == '+' || equals[-1] == '-');
    const struct key *k = find_key(kind, arg, (size_t)(equals - arg) - signedly);
    if (!k)
        return unknown_key(s, kind, arg);
    if (kind == KIND_JOB && signedly && !str_eq(k->name, "TimeLimit")) {
        say_error("Option %s does not accept [+|-]= syntax", arg);
        return 1;
    }
    if (kind == KIND_NODE && str_eq(k->name, "State") && !known_state(equals + 1))
        return unknown_state(s, arg);
    add_pair(p, k->name, equals + 1, !signedly ? "=" : equals[-1] == '+' ? "+=" : "-=");
    return 0;
}

static int read_pairs(const struct scontrol *s, struct pairs *p, enum kind kind, int argc, char **argv)
{
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++)
        rc = read_pair(s, p, kind, argv[i]);
    return rc;
}

static Pb__Pair *find_pair(const struct pairs *p, const char *key)
{
    for (size_t i = 0; i < p->pair.n; i++)
        if (str_eq(p->pair.at[i]->key, key))
            return p->pair.at[i];
    return NULL;
}

/* ---- which record ---- */

static const struct {
    const char *word;
    enum kind kind;
} entities[] = {
    { "JobId", KIND_JOB },
    { "JobName", KIND_JOB },
    { "NodeName", KIND_NODE },
    { "PartitionName", KIND_PART },
    { "ReservationName", KIND_RESV },
    { "StepId", KIND_STEP },
    { "SlurmctldDebug", KIND_REFUSED },
    { "SuspendExcNodes", KIND_REFUSED },
    { "SuspendExcParts", KIND_REFUSED },
    { "SuspendExcStates", KIND_REFUSED },
};

static enum kind kind_of(int argc, char **argv, const char **word)
{
    for (int i = 0; i < argc; i++) {
        size_t len = strcspn(argv[i], "=");
        for (size_t k = 0; k < ARRAY_LEN(entities) && len >= 3; k++)
            if (!strncasecmp(entities[k].word, argv[i], len) && len <= strlen(entities[k].word)) {
                *word = entities[k].word;
                return entities[k].kind;
            }
    }
    return KIND_NONE;
}

static int say_refused(const struct scontrol *s, const char *what, const char *word)
{
    if (!s->quiet)
        say_error("%s %s is not supported by this release of Spur", what, word);
    return 1;
}

/* ---- sending ---- */

static int send_pairs(struct scontrol *s, enum kind kind, const struct pairs *p, bool create, bool remove,
                      struct err *err)
{
    Pb__UpdateRequest r = PB__UPDATE_REQUEST__INIT;
    ProtobufCMessage *reply;
    r.kind = (Pb__UpdateKind)kind;
    r.pairs = p->pair.at;
    r.n_pairs = p->pair.n;
    r.create = create;
    r.remove = remove;
    int rc = scontrol_call(s, MSG_UPDATE, &r.base, MSG_DONE, &reply, err);
    if (!rc)
        client_free(reply);
    return rc;
}

/* What Slurm's scontrol finds out itself is an error of its own; what the controller says is about the record. */
static int say_failure(const struct scontrol *s, enum kind kind, const char *job, int rc, const struct err *err)
{
    if (s->quiet)
        return 1;
    if (str_has_prefix(err->text, "Invalid time specification"))
        scontrol_fail(s, "%s\nNo changes specified", err->text);
    else if (rc < 1000 && rc != EEXIST && rc != EACCES && rc != EPERM) {
        say_error("%s", scontrol_words(rc, err));
        if (kind == KIND_PART && str_has_prefix(err->text, "Invalid input: State="))
            say_error("Acceptable State values are UP, DOWN, DRAIN and INACTIVE");
    }
    else if (kind == KIND_JOB)
        scontrol_fail(s, "%s for job %s", scontrol_words(rc, err), job);
    else
        scontrol_fail(s, "slurm_update error: %s", scontrol_words(rc, err));
    return 1;
}

struct ids {
    struct strs list;
};

static int each_named(void *arg, const ProtobufCMessage *m)
{
    struct ids *ids = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    for (size_t i = 0; i < list->n_jobs; i++)
        strs_take(&ids->list, mem_printf("%u", list->jobs[i]->id));
    return 0;
}

/* The jobs of that name: an update without JobId changes all of them. */
static int jobs_by_name(struct scontrol *s, const char *name, const char *user, struct strs *out)
{
    struct err err = ERR_INIT;
    struct ids ids = { STRS_INIT };
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    uint32_t uid = (uint32_t)getuid();
    if (user && !names_find_user(user, &uid)) {
        scontrol_fail(s, "Invalid UserID: %s", user);
        return scontrol_fail(s, "Request aborted");
    }
    query.name = (char **)&name;
    query.n_name = 1;
    query.uid = uid || user ? &uid : NULL;
    query.n_uid = uid || user ? 1 : 0;
    struct client *c = scontrol_client(s, &err);
    int rc = c ? client_stream(c, MSG_JOBS, &query.base, MSG_JOBS_REPLY, each_named, &ids, &err) : err.code;
    *out = ids.list;
    if (rc)
        return scontrol_fail(s, "slurm_load_jobs error: %s", scontrol_words(rc, &err));
    if (!out->n && !s->quiet)
        say_error("No jobs with name '%s'", name);
    return out->n ? 0 : 1;
}

static void drop_pair(struct pairs *p, Pb__Pair *pair)
{
    for (size_t i = 0; i < p->pair.n; i++)
        if (p->pair.at[i] == pair)
            vec_remove(&p->pair, i);
    free(pair);
}

/* Numbers alone change their size: of an array, or of one component, nothing is said. */
static bool changes_size(const struct pairs *p)
{
    return find_pair(p, "NumNodes") || find_pair(p, "ReqNodes") || find_pair(p, "NodeList") ||
           find_pair(p, "ReqNodeList");
}

static int update_one(struct scontrol *s, const struct pairs *p, const char *id)
{
    struct err err = ERR_INIT;
    uint64_t n;
    bool plain = str_u64(id, 1, UINT32_MAX - 1, &n);
    if (!plain && (find_pair(p, "NumNodes") || find_pair(p, "ReqNodes"))) {
        say_error("Job resizing not supported for job arrays");
        return 1;
    }
    int rc = send_pairs(s, KIND_JOB, p, false, false, &err);
    if (rc == ESLURM_NOT_SUPPORTED && find_pair(p, "ArrayTaskThrottle") && !s->quiet)
        say_error("Update of ArrayTaskThrottle is only allowed on ArrayJobId");
    if (rc)
        return say_failure(s, KIND_JOB, id, rc, &err);
    return plain && changes_size(p) ? scontrol_resized(s, (uint32_t)n) : 0;
}

/* One request a job, so that each failure names its job. */
static int update_jobs(struct scontrol *s, struct pairs *p)
{
    Pb__Pair *id = find_pair(p, "JobId"), *name = find_pair(p, "JobName"), *user = find_pair(p, "UserID");
    auto_strs struct strs ids = STRS_INIT;
    auto_free char *who = user ? mem_str(user->value) : NULL;
    if (user)
        drop_pair(p, user);
    size_t min = 1;
    if (id) {
        const char *pos = id->value;
        while (*pos) {
            size_t len = 0;
            for (int depth = 0; pos[len] && (depth || pos[len] != ','); len++)
                depth += (pos[len] == '[') - (pos[len] == ']');
            strs_take(&ids, mem_strn(pos, len));
            pos += len + (pos[len] == ',');
        }
    } else if (jobs_by_name(s, name->value, who, &ids)) {
        return 1;
    } else {
        name->key = (char *)"JobId";
        id = name;
    }
    if (p->pair.n <= min)
        return scontrol_fail(s, "No changes specified");
    int rc = 0;
    for (size_t i = 0; i < ids.n; i++) {
        id->value = ids.at[i];
        rc |= update_one(s, p, ids.at[i]);
    }
    return rc;
}

/* Slurm's words for a node that is taken away without a reason. */
static bool lacks_reason(const struct pairs *p)
{
    const Pb__Pair *state = find_pair(p, "State"), *reason = find_pair(p, "Reason");
    if (!state || (reason && *reason->value))
        return false;
    return str_ieq(state->value, "down") || str_has_iprefix(state->value, "dra") ||
           str_has_iprefix(state->value, "fail");
}

static int update_pairs(struct scontrol *s, enum kind kind, struct pairs *p)
{
    struct err err = ERR_INIT;
    if (kind == KIND_JOB)
        return update_jobs(s, p);
    if (p->pair.n < 2)
        return scontrol_fail(s, "No changes specified");
    if (kind == KIND_NODE && lacks_reason(p))
        return scontrol_fail(s, "You must specify a reason when DOWNING or DRAINING a node. Request denied");
    int rc = send_pairs(s, kind, p, false, false, &err);
    return rc ? say_failure(s, kind, NULL, rc, &err) : 0;
}

int scontrol_update(struct scontrol *s, int argc, char **argv)
{
    const char *word = NULL;
    if (argc < 2)
        return scontrol_fail(s, "too few arguments for update keyword");
    enum kind kind = kind_of(argc - 1, argv + 1, &word);
    if (kind == KIND_REFUSED)
        return say_refused(s, "update", word);
    if (kind == KIND_RESV)
        return scontrol_update_resv(s, argc - 1, argv + 1);
    if (kind == KIND_NONE) {
        scontrol_fail(s, "No valid entity in update command");
        return scontrol_fail(s, "Input line must include \"NodeName\", \"PartitionName\", \"Reservation\", \"JobId\", "
                                "or \"SlurmctldDebug\"");
    }
    struct pairs p = { 0 };
    int rc = read_pairs(s, &p, kind, argc - 1, argv + 1);
    if (!rc)
        rc = update_pairs(s, kind, &p);
    pairs_clear(&p);
    return rc;
}

/* ---- create and delete ---- */

/* "create partition NAME=..." and "create PartitionName=..." both name the kind first. */
static bool names_kind(const char *arg, const char *word)
{
    size_t len = strcspn(arg, "=");
    return len >= 3 && len <= strlen(word) && !strncasecmp(word, arg, len);
}

int scontrol_create(struct scontrol *s, int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct pairs p = { 0 };
    if (argc < 2)
        return scontrol_fail(s, "too few arguments for create keyword");
    if (names_kind(argv[1], "ReservationName"))
        return scontrol_create_resv(s, argc - 1 - !strchr(argv[1], '='), argv + 1 + !strchr(argv[1], '='));
    if (names_kind(argv[1], "NodeName"))
        return say_refused(s, "create", argv[1]);
    if (!names_kind(argv[1], "PartitionName")) {
        say_error("Invalid creation entity: %s", argv[1]);
        return 1;
    }
    int skip = strchr(argv[1], '=') || argc < 3 ? 1 : 2;
    if (!strchr(argv[skip], '=')) {
        say_error("Invalid input: %s  Request aborted", argv[skip]);
        return 1;
    }
    int rc = read_pairs(s, &p, KIND_PART, argc - skip, argv + skip);
    if (!rc) {
        rc = send_pairs(s, KIND_PART, &p, true, false, &err);
        if (rc)
            rc = scontrol_fail(s, "Error creating the partition: %s", scontrol_words(rc, &err));
    }
    pairs_clear(&p);
    return rc ? 1 : 0;
}

int scontrol_delete(struct scontrol *s, int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct pairs p = { 0 };
    if (argc < 2)
        return scontrol_fail(s, "too few arguments for delete keyword");
    char *equals = strchr(argv[1], '=');
    const char *id = equals ? equals + 1 : argc > 2 ? argv[2] : NULL;
    if (!id || !*id) {
        say_error("Proper format is 'delete <ENTITY>=<ID>' or 'delete <ENTITY> <ID>'");
        return 1;
    }
    if (names_kind(argv[1], "ReservationName"))
        return scontrol_delete_resv(s, argv[1], id);
    if (names_kind(argv[1], "NodeName"))
        return say_refused(s, "delete", argv[1]);
    if (!names_kind(argv[1], "PartitionName"))
        return scontrol_fail(s, "Invalid deletion entity: %s", argv[1]);
    add_pair(&p, "PartitionName", id, "=");
    int rc = send_pairs(s, KIND_PART, &p, false, true, &err);
    if (rc)
        rc = scontrol_fail(s, "delete_partition %s: %s", argv[1], scontrol_words(rc, &err));
    pairs_clear(&p);
    return rc;
}
