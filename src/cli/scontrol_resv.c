/*
 * scontrol_resv - scontrol create, update, delete and show reservation.
 *
 * Times are read here, by the clock and in the time zone of the user, and go to the controller as numbers.
 */
#include <stdarg.h>
#include <time.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "core/resv.h"
#include "text/strs.h"
#include "text/time.h"


struct ask { /* what the command line gives of a reservation */
    struct scontrol *s;
    bool create;
    VEC(Pb__Pair *) pair;
    struct strs owned;
    int64_t start_s, end_s;
    bool start, end, length, what, who, nodes, all, part, users, groups;
    uint64_t flags;
};

static void ask_clear(struct ask *a)
{
    for (size_t i = 0; i < a->pair.n; i++)
        free(a->pair.at[i]);
    vec_clear(&a->pair);
    strs_clear(&a->owned);
}

static int resv_fail(const struct ask *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "scontrol: error: WORDS.  No reservation created." */
static int resv_fail(const struct ask *a, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (!a->s->quiet)
        say_error("%s.  No reservation %s.", text, a->create ? "created" : "update");
    return 1;
}

static void ask_add(struct ask *a, const char *key, const char *value, const char *op)
{
    Pb__Pair *p = NEW(Pb__Pair);
    pb__pair__init(p);
    strs_add(&a->owned, value);
    p->key = (char *)key;
    p->value = a->owned.at[a->owned.n - 1];
    p->op = (char *)op;
    vec_push(&a->pair, p);
}

/* ---- values that scontrol reads itself ---- */

struct word { /* one argument: KEY, an operator, VALUE */
    const char *arg, *key, *value, *op;
};

static int read_time(struct ask *a, const struct word *w, const char *which, int64_t *out)
{
    struct err err = ERR_INIT;
    time_t at;
    char number[24];
    if (time_at_parse(w->value, time(NULL), &at, &err)) {
        scontrol_fail(a->s, "%s", err.text);
        return resv_fail(a, "Invalid %s time %s", which, w->arg);
    }
    *out = at;
    snprintf(number, sizeof(number), "%lld", (long long)at);
    ask_add(a, w->key, number, w->op);
    return 0;
}

static int read_start(struct ask *a, const struct word *w)
{
    a->start = true;
    return read_time(a, w, "start", &a->start_s);
}

static int read_end(struct ask *a, const struct word *w)
{
    a->end = true;
    return read_time(a, w, "end", &a->end_s);
}

static int read_duration(struct ask *a, const struct word *w)
{
    uint32_t minutes;
    char number[24];
    const char *value = w->value, *op = w->op;
    if (*value == '+' || *value == '-') /* Duration=+10 is Duration+=10 */
        op = *value++ == '+' ? "+=" : "-=";
    if (time_limit_parse(value, &minutes, NULL))
        return resv_fail(a, "Invalid duration %s", w->arg);
    snprintf(number, sizeof(number), "%u", minutes);
    ask_add(a, w->key, minutes == TIME_INFINITE ? "UNLIMITED" : number, op);
    a->length = true;
    return 0;
}

static int read_delay(struct ask *a, const struct word *w)
{
    uint32_t seconds;
    char number[24];
    if (time_secs_parse(w->value, &seconds, NULL) || seconds == TIME_INFINITE)
        return resv_fail(a, "Invalid MaxStartDelay %s", w->arg);
    snprintf(number, sizeof(number), "%u", seconds);
    ask_add(a, w->key, number, w->op);
    return 0;
}

static int read_flags(struct ask *a, const struct word *w)
{
    /* These stay once they are there. */
    const uint64_t fixed = RESV_OVERLAP | RESV_REPLACE | RESV_REPLACE_DOWN | RESV_NO_HOLD | RESV_TIME_FLOAT;
    uint64_t flags = 0;
    uint32_t purge;
    const char *value = w->value, *op = w->op;
    if (*op == '=' && (*value == '+' || *value == '-')) /* Flags=+MAGNETIC is Flags+=MAGNETIC */
        op = *value++ == '+' ? "+=" : "-=";
    bool minus = *op == '-';
    if (resv_flags_parse(value, &flags, &purge, NULL) || (minus && flags & fixed))
        return resv_fail(a, "Error parsing flags %s%s", minus ? "-" : "", value);
    a->flags |= minus ? 0 : flags;
    ask_add(a, w->key, value, op);
    return 0;
}

static int read_count(struct ask *a, const struct word *w, const char *what)
{
    char *end, number[24];
    unsigned long long n = strtoull(w->value, &end, 10);
    if (end != w->value && (*end == 'k' || *end == 'K'))
        n *= 1024, end++;
    if (end == w->value || *end || *w->value == '-') {
        if (!a->s->quiet)
            say_error("\"%s\" is not a valid %s count", w->value, what);
        return 1;
    }
    snprintf(number, sizeof(number), "%llu", n);
    ask_add(a, w->key, number, w->op);
    a->what = true;
    return 0;
}

static int read_node_cnt(struct ask *a, const struct word *w)
{
    if (!strchr(w->value, ','))
        return read_count(a, w, "node");
    if (!a->s->quiet)
        say_error("Using a comma separated array for NodeCnt is no longer valid.");
    return 1;
}

static int read_core_cnt(struct ask *a, const struct word *w)
{
    if (!strchr(w->value, ','))
        return read_count(a, w, "core");
    if (!a->s->quiet)
        say_error("Using a comma separated array for CoreCnt is no longer valid.");
    return 1;
}

static int read_buffer(struct ask *a, const struct word *w)
{
    if (!a->s->quiet)
        say_error("%s is not supported by this release of Spur", w->key);
    return 1;
}

static int read_text(struct ask *a, const struct word *w)
{
    ask_add(a, w->key, w->value, w->op);
    return 0;
}

static int read_what(struct ask *a, const struct word *w)
{
    a->what = true;
    a->nodes |= str_eq(w->key, "Nodes");
    a->all |= str_eq(w->key, "Nodes") && str_ieq(w->value, "ALL");
    a->part |= str_eq(w->key, "PartitionName");
    return read_text(a, w);
}

static int read_who(struct ask *a, const struct word *w)
{
    a->who |= *w->value != '\0';
    a->users |= str_eq(w->key, "Users") && *w->value;
    a->groups |= str_eq(w->key, "Groups") && *w->value;
    return read_text(a, w);
}

static const struct {
    const char *key;
    unsigned min; /* letters that are enough */
    int (*read)(struct ask *a, const struct word *w);
} rows[] = {
    { "ReservationName", 3, read_text },
    { "Accounts", 1, read_who },
    { "AllowedPartitions", 3, read_who },
    { "BurstBuffer", 2, read_buffer },
    { "Comment", 3, read_text },
    { "CoreCnt", 5, read_core_cnt },
    { "Duration", 1, read_duration },
    { "EndTime", 1, read_end },
    { "Features", 2, read_text },
    { "Flags", 2, read_flags },
    { "Groups", 1, read_who },
    { "Licenses", 1, read_what },
    { "MaxStartDelay", 1, read_delay },
    { "NodeCnt", 5, read_node_cnt },
    { "Nodes", 5, read_what },
    { "PartitionName", 1, read_what },
    { "QOS", 1, read_who },
    { "StartTime", 1, read_start },
    { "TRES", 1, read_what },
    { "TRESPerNode", 5, read_what },
    { "Users", 1, read_who },
};

static int read_word(struct ask *a, const char *arg)
{
    const char *equals = strchr(arg, '=');
    if (!equals && str_ieq(arg, "Skip")) {
        ask_add(a, "Skip", "1", "=");
        return 0;
    }
    bool sign = equals && equals > arg && (equals[-1] == '+' || equals[-1] == '-');
    size_t len = equals ? (size_t)(equals - arg) - sign : 0;
    for (size_t i = 0; equals && i < 2 * ARRAY_LEN(rows); i++) { /* whole names first, then shortened ones */
        size_t k = i % ARRAY_LEN(rows), full = strlen(rows[k].key);
        bool whole = i < ARRAY_LEN(rows);
        if (whole ? len != full : len < rows[k].min || len > full || strncasecmp(rows[k].key, arg, len))
            continue;
        if (strncasecmp(rows[k].key, arg, len))
            continue;
        const struct word w = { arg, rows[k].key, equals + 1, !sign ? "=" : equals[-1] == '+' ? "+=" : "-=" };
        return rows[k].read(a, &w);
    }
    return resv_fail(a, "Unknown parameter %s", arg);
}

/* ---- create and update ---- */

/* What the controller will refuse, in more words than its number has. */
static void say_flags(const struct ask *a)
{
    uint64_t f = a->flags, turns = f & RESV_REPEATS;
    if (a->s->quiet)
        return;
    if (f & (RESV_REPLACE | RESV_REPLACE_DOWN) && f & (RESV_STATIC | RESV_MAINT))
        say_error("REPLACE and REPLACE_DOWN flags cannot be used with STATIC_ALLOC or MAINT flags");
    else if (f & (RESV_REPLACE | RESV_REPLACE_DOWN) && a->nodes)
        say_error("REPLACE or REPLACE_DOWN flags should be used with the NodeCnt reservation option; "
                  "do not specify Nodes");
    else if (turns & (turns - 1))
        say_error("Reservation has multiple reoccurring flags. Please specify only one reoccurring flag");
    else if (turns && f & RESV_TIME_FLOAT)
        say_error("Reservation request has mutually exclusive flags. "
                  "Repeating floating reservations are not supported.");
}

static int resv_lacks(struct ask *a)
{
    if (a->flags & RESV_FORCE_START && !(a->flags & RESV_REPEATS)) {
        if (!a->s->quiet)
            say_error("FORCE_START flag requires a reoccuring reservation. No reservation created.");
        return 1;
    }
    if (a->flags & RESV_PART_NODES && (!a->part || !a->all))
        return resv_fail(a, "PART_NODES flag requires specifying a Partition and ALL nodes");
    if (!a->start)
        return resv_fail(a, "A start time must be given");
    if (!a->end && !a->length)
        return resv_fail(a, "An end time or duration must be given");
    if (a->end && !a->length && a->start_s >= a->end_s)
        return resv_fail(a, "Start time cannot be after end time");
    if (!a->what)
        return resv_fail(a, "CoreCnt, Nodes, NodeCnt, TRES or Watts must be specified");
    if (a->users && a->groups)
        return resv_fail(a, "Users and Groups are mutually exclusive.  You can have one or the other, but not both");
    if (!a->who)
        return resv_fail(a, "Either Users/Groups, AllowedPartitions, QOS and/or Accounts must be specified");
    return 0;
}

/* The controller's answer; `name` (yours) is that of one that was made. */
static int send_ask(struct ask *a, bool remove, char **name, struct err *err)
{
    Pb__UpdateRequest r = PB__UPDATE_REQUEST__INIT;
    ProtobufCMessage *reply = NULL;
    r.kind = PB__UPDATE_KIND__UPDATE_RESV;
    r.pairs = a->pair.at;
    r.n_pairs = a->pair.n;
    r.create = a->create;
    r.remove = remove;
    int rc = scontrol_call(a->s, MSG_UPDATE, &r.base, MSG_DONE, &reply, err);
    if (!rc && name)
        *name = mem_str(((Pb__Done *)reply)->text);
    if (!rc)
        client_free(reply);
    return rc;
}

static int say_not_created(const struct ask *a, int rc, const struct err *err)
{
    scontrol_fail(a->s, "Error creating the reservation: %s", scontrol_words(rc, err));
    if (!a->nodes && (rc == ESLURM_NODES_BUSY || rc == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE))
        puts("Note, unless nodes are directly requested a reservation must exist in a single partition.\n"
             "If no partition is requested the default partition is assumed.");
    return 1;
}

int scontrol_create_resv(struct scontrol *s, int argc, char **argv)
{
    struct ask a = { .s = s, .create = true };
    struct err err = ERR_INIT;
    auto_free char *name = NULL;
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++)
        rc = read_word(&a, argv[i]);
    if (!rc)
        rc = resv_lacks(&a);
    if (!rc) {
        say_flags(&a);
        rc = send_ask(&a, false, &name, &err);
        if (rc)
            rc = say_not_created(&a, rc, &err);
        else
            printf("Reservation created: %s\n", name);
    }
    ask_clear(&a);
    return rc;
}

int scontrol_update_resv(struct scontrol *s, int argc, char **argv)
{
    struct ask a = { .s = s };
    struct err err = ERR_INIT;
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++)
        rc = read_word(&a, argv[i]);
    if (!rc) {
        rc = send_ask(&a, false, NULL, &err);
        if (rc == ESLURM_NOT_SUPPORTED && a.flags & RESV_REPEATS && !s->quiet)
            say_error("Cannot update reservation to have multiple reoccurring flags. "
                      "Please specify only one reoccurring flag");
        if (rc)
            rc = scontrol_fail(s, "slurm_update error: %s", scontrol_words(rc, &err));
        else
            puts("Reservation updated.");
    }
    ask_clear(&a);
    return rc;
}

int scontrol_delete_resv(struct scontrol *s, const char *word, const char *name)
{
    struct ask a = { .s = s };
    struct err err = ERR_INIT;
    ask_add(&a, "ReservationName", name, "=");
    int rc = send_ask(&a, true, NULL, &err);
    if (rc)
        rc = scontrol_fail(s, "delete_reservation %s: %s", word, scontrol_words(rc, &err));
    ask_clear(&a);
    return rc;
}
