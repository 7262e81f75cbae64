/*
 * rules - administrators who change limits, licences and reservations of all kinds while jobs run; and users whose jobs
 * ask for them.
 *
 * It has a random generator of its own: a simulation without rules runs as it did before.
 */
#include "core/limits.h"
#include "sim/world.h"

/* ---- limits ---- */

static uint32_t rules_random(struct sim *s, uint32_t least, uint32_t most)
{
    return (uint32_t)rng_range(&s->rules, least, most);
}

/* Every user has an account, some have two.  No kind of limit is set at both a QOS and an account: which one applies
 * then is tested elsewhere, and here what is held can be compared with each limit by itself. */
static void load_assocs(struct sim *s, bool open, struct buf *b)
{
    uint32_t big = MAX(s->conf.nodes, 8u);
    uint32_t submit = rules_random(s, 8, 40), cpus = rules_random(s, 8, big * 4), jobs = rules_random(s, 2, big),
             more = rules_random(s, 20, 90);
    uint32_t theirs = rules_random(s, 8, big * 4),
             gpus = rules_random(s, 1, 4); /* one after the other: a seed must mean the same with every compiler */
    if (open) {                            /* so that the queue can become empty */
        buf_adds(b, "QOS - normal:Description='everybody'\nQOS - high:Priority=100:Preempt=low\n"
                    "QOS - low:Priority=1:PreemptMode=requeue\nQOS - part:Priority=0\n"
                    "Cluster - sim:QOS='normal,high,low'\nParent - root\nAccount - physics:Fairshare=1\n"
                    "Account - biology:Fairshare=1\n");
    } else {
        buf_addf(b, "QOS - normal:MaxSubmitJobsPerUser=%u:MaxTRESPerAccount=cpu=%u\n", submit, cpus);
        buf_addf(b, "QOS - high:Priority=100:Preempt=low:MaxJobsPerUser=%u\n", rules_random(s, 1, 4));
        buf_addf(b, "QOS - low:Priority=1:PreemptMode=requeue:MaxTRESPerUser=cpu=%u\n", rules_random(s, 4, big * 2));
        buf_addf(b, "QOS - part:GrpTRES=node=%u\nCluster - sim:QOS='normal,high,low'\nParent - root\n",
                 rules_random(s, 1, big / 2));
        buf_addf(b, "Account - physics:Fairshare=3:GrpJobs=%u:GrpSubmitJobs=%u\n", jobs, more);
        buf_addf(b, "Account - biology:Fairshare=1:GrpTRES=cpu=%u,gres/gpu=%u\n", theirs, gpus);
    }
    buf_adds(b, "Parent - physics\nUser - u1000:DefaultAccount=physics\n");
    buf_addf(b,
             open ? "User - u1001:DefaultAccount=physics\n"
                  : "User - u1001:DefaultAccount=physics:MaxTRESPerJob=cpu=%u\n",
             open ? 0 : rules_random(s, 4, 32));
    buf_adds(b, "Parent - biology\nUser - u1000:Fairshare=1\nUser - u1002:DefaultAccount=biology\n"
                "User - u1003:DefaultAccount=biology\n");
}

static void load_rules(struct sim *s, bool open)
{
    auto_buf struct buf text = BUF_INIT;
    Pb__AssocLoad r = PB__ASSOC_LOAD__INIT;
    load_assocs(s, open, &text);
    r.text = (ProtobufCBinaryData){ text.len, (uint8_t *)text.s };
    r.remove_unlisted = rng_chance(&s->rules, 50);
    user_ask(s, OP_KIND_OTHER, MSG_ASSOC_LOAD, 0, 0, &r.base);
}

/* ---- reservations ---- */

#define PAIRS 10

struct order { /* the arguments of scontrol */
    Pb__UpdateRequest r;
    Pb__Pair pair[PAIRS], *pairs[PAIRS];
    char text[PAIRS][64];
};

static void order_init(struct order *o)
{
    pb__update_request__init(&o->r);
    o->r.kind = 4;
    o->r.pairs = o->pairs;
}

__attribute__((format(printf, 3, 4))) static void say(struct order *o, const char *key, const char *fmt, ...)
{
    size_t i = o->r.n_pairs++;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(o->text[i], sizeof(o->text[i]), fmt, ap);
    va_end(ap);
    pb__pair__init(&o->pair[i]);
    o->pair[i].key = (char *)(uintptr_t)key, o->pair[i].value = o->text[i], o->pair[i].op = (char *)"=";
    o->pairs[i] = &o->pair[i];
}

static void send_order(struct sim *s, const struct order *o)
{
    user_ask(s, OP_KIND_OTHER, MSG_UPDATE, 0, 0, &o->r.base);
}

static int64_t clock_s(const struct sim *s)
{
    return SIM_EPOCH_S + s->now_ms / 1000;
}

static void what_of_it(struct sim *s, struct order *o)
{
    uint32_t most = MAX(s->conf.nodes / 3, 1u);
    switch (rng_below(&s->rules, 6)) {
    case 0: say(o, "Nodes", "n[1-%u]", 1 + rng_below(&s->rules, most)); break;
    case 1: say(o, "CoreCnt", "%u", 1 + rng_below(&s->rules, most * 4)); break;
    case 2: say(o, "NodeCnt", "%u", 1 + rng_below(&s->rules, most)), say(o, "PartitionName", "short"); break;
    case 3: say(o, "Licenses", "matlab:%u", 1 + rng_below(&s->rules, 4)); break;
    default: say(o, "NodeCnt", "%u", 1 + rng_below(&s->rules, most)); break;
    }
}

static void reserve_random(struct sim *s)
{
    static const char *const flags[] = { "",
                                         "",
                                         "FLEX",
                                         "MAGNETIC",
                                         "OVERLAP",
                                         "MAINT,IGNORE_JOBS",
                                         "IGNORE_JOBS",
                                         "HOURLY",
                                         "DAILY",
                                         "WEEKLY",
                                         "REPLACE",
                                         "REPLACE_DOWN",
                                         "PURGE_COMP=60",
                                         "TIME_FLOAT",
                                         "MAGNETIC,FLEX",
                                         "STATIC_ALLOC",
                                         "NO_HOLD_JOBS_AFTER_END" };
    struct order o;
    order_init(&o);
    o.r.create = true;
    say(&o, "ReservationName", "r%u", rng_below(&s->rules, 5));
    say(&o, "StartTime", "%lld",
        (long long)clock_s(s) + (rng_chance(&s->rules, 40) ? 0 : rng_range(&s->rules, 1, 900)));
    say(&o, "Duration", "%u", 1 + rng_below(&s->rules, 12));
    what_of_it(s, &o);
    if (rng_chance(&s->rules, 70))
        say(&o, "Users", "u%u", SIM_UID + rng_below(&s->rules, SIM_USERS));
    else
        say(&o, "Accounts", "%s", rng_chance(&s->rules, 50) ? "physics" : "biology");
    const char *words = flags[rng_below(&s->rules, ARRAY_LEN(flags))];
    if (*words)
        say(&o, "Flags", "%s", words);
    send_order(s, &o);
}

static void change_resv(struct sim *s)
{
    struct order o;
    order_init(&o);
    say(&o, "ReservationName", "r%u", rng_below(&s->rules, 5));
    switch (rng_below(&s->rules, 4)) {
    case 0: o.r.remove = true; break;
    case 1: say(&o, "Duration", "%u", 1 + rng_below(&s->rules, 15)); break;
    case 2: say(&o, "NodeCnt", "%u", 1 + rng_below(&s->rules, 4)); break;
    default: say(&o, "Users", "u%u", SIM_UID + rng_below(&s->rules, SIM_USERS)); break;
    }
    send_order(s, &o);
}

/* ---- jobs ---- */

uint32_t rules_request(struct sim *s, Pb__JobSpec *p)
{
    static const char *const licenses[] = { "matlab:1", "matlab:3", "ansys", "matlab:2,ansys:1", "ansys:2|matlab:1" };
    static const char *const names[] = { "r0", "r1", "r2", "r3", "r4", "r1,r0" };
    static const char *const qos[] = { "high", "low", "low", "normal" };
    static const char *const accounts[] = { "physics", "biology" };
    struct rng *r = &s->rules;
    if (rng_chance(r, 25))
        p->licenses = (char *)(uintptr_t)licenses[rng_below(r, ARRAY_LEN(licenses))];
    if (rng_chance(r, 15))
        p->reservation = (char *)(uintptr_t)names[rng_below(r, ARRAY_LEN(names))];
    if (rng_chance(r, 60))
        p->qos = (char *)(uintptr_t)qos[rng_below(r, ARRAY_LEN(qos))];
    if (rng_chance(r, 15))
        p->account = (char *)(uintptr_t)accounts[rng_below(r, 2)];
    if (s->conf.rules != RULES_SHORT || !rng_chance(r, 30))
        return 0;
    /* it checkpoints, and runs long */
    p->requeue = PB__REQUEUE__REQUEUE_YES, p->signal = 10, p->signal_before_s = rng_below(r, 30);
    p->time_limit_min = 200 + 100 * rng_below(r, 5);
    p->partition = (char *)"main";
    return (uint32_t)rng_range(r, 1000, 9000);
}

/* ---- timing ---- */

void rules_start(struct sim *s)
{
    if (s->conf.rules == RULES_NONE)
        return;
    uint32_t n = 12 + s->conf.jobs / 4;
    sim_push(s, 3000, W_RULE, 0, true, NULL);
    for (uint32_t i = 0; i < n; i++)
        sim_push(s, rng_range(&s->rules, 4000, s->quiet_ms - 200000), W_RULE, 0, false, NULL);
}

void rule_happen(struct sim *s, bool first)
{
    uint32_t which = rng_below(&s->rules, 10);
    if (first || which < 2)
        load_rules(s, false);
    else if (which < 8)
        reserve_random(s);
    else
        change_resv(s);
}

/* ---- the end ---- */

static bool any_limit(const struct cluster *c)
{
    size_t pos = 0;
    bool any = false;
    for (const struct qos *q; c->limits && (q = smap_next(&c->limits->qos, &pos, NULL));)
        any |= q->pb->n_limits > 0;
    pos = 0;
    for (const struct assoc *a; c->limits && (a = map_next(&c->limits->assoc, &pos, NULL));)
        any |= a->pb->n_limits > 0;
    return any;
}

void rules_sweep(struct sim *s, const struct cluster *c)
{
    if (s->conf.rules == RULES_NONE)
        return;
    for (size_t i = 0; i < c->resv.n; i++) {
        struct order o;
        order_init(&o);
        o.r.remove = true;
        say(&o, "ReservationName", "%s", c->resv.at[i]->pb->name);
        send_order(s, &o);
    }
    if (any_limit(c))
        load_rules(s, true);
}

bool rules_never(const struct job *j)
{
    return j->spec->req.reservation != NULL;
}
