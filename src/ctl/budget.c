/* budget - what one user may cost the controller; see budget.h. */
#include "ctl/budget.h"

#include <stdlib.h>

#include "base/errnum.h"
#include "base/log.h"
#include "base/str.h"

void budget_init(struct budget *b)
{
    *b = (struct budget){ .connections_max = BUDGET_CONNECTIONS };
}

void budget_clear(struct budget *b)
{
    size_t pos = 0;
    for (struct budget_user *u; (u = map_next(&b->users, &pos, NULL));)
        free(u);
    map_clear(&b->users);
}

/* ---- configuration ---- */

static uint64_t rate_number(const struct site *site, const char *word, uint64_t otherwise)
{
    const char *text = site_param(site->slurmctld_parameters, word);
    uint64_t n = text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
    return n ? MIN(n, (uint64_t)UINT32_MAX) : otherwise;
}

static void budget_configure(struct budget *b, const struct site *site)
{
    const char *log = site_param(site->slurmctld_parameters, "rl_log_freq");
    b->rate = site_param(site->slurmctld_parameters, "rl_enable") != NULL;
    b->bucket_size = rate_number(site, "rl_bucket_size", 30);
    b->refill_rate = rate_number(site, "rl_refill_rate", 2);
    b->refill_period_s = rate_number(site, "rl_refill_period", 1);
    b->table_size = rate_number(site, "rl_table_size", 8192);
    b->log_freq_s = log ? strtol(log, NULL, 10) : 0;
}

/* ---- users ---- */

static bool is_idle(const struct budget_user *u)
{
    return !u->connections && !u->requests && !u->in_bytes;
}

/* The table is full: accounts of users without a connection are dropped, and with them what the users had spent. */
static void drop_idle(struct budget *b)
{
    size_t pos = 0;
    VEC(struct budget_user *) idle = { 0 };
    for (struct budget_user *u; (u = map_next(&b->users, &pos, NULL));)
        if (is_idle(u))
            vec_push(&idle, u);
    for (size_t i = 0; i < idle.n; i++) {
        map_del(&b->users, (uint64_t)idle.at[i]->uid + 1);
        free(idle.at[i]);
    }
    vec_clear(&idle);
}

struct budget_user *budget_user(struct budget *b, uint32_t uid, int64_t now_s)
{
    struct budget_user *u = map_get(&b->users, (uint64_t)uid + 1);
    if (u)
        return u;
    if (b->table_size && b->users.n >= b->table_size)
        drop_idle(b);
    u = NEW(struct budget_user);
    u->uid = uid;
    u->tokens = b->bucket_size;
    u->filled_s = now_s;
    map_put(&b->users, (uint64_t)uid + 1, u);
    return u;
}

/* ---- bounds ---- */

static int slow_down(struct budget *b, struct budget_user *u, struct err *err, const char *what)
{
    b->refused++;
    u->refused++;
    return err_set(err, SLURMCTLD_COMMUNICATIONS_BACKOFF, "slow down: %s", what);
}

int budget_connect(struct budget *b, struct budget_user *u, struct err *err)
{
    if (!u)
        return 0;
    if (u->connections >= BUDGET_CONNECTIONS)
        return slow_down(b, u, err, "this user has too many connections");
    if (b->connections >= b->connections_max)
        return slow_down(b, u, err, "the controller has too many connections of users");
    u->connections++;
    b->connections++;
    return 0;
}

void budget_disconnect(struct budget *b, struct budget_user *u)
{
    if (!u)
        return;
    u->connections--;
    b->connections--;
}

int budget_receive(struct budget *b, struct budget_user *u, size_t bytes, struct err *err)
{
    if (u && u->in_bytes + bytes > BUDGET_IN_BYTES)
        return slow_down(b, u, err, "messages of this user wait to be received");
    if (u)
        u->in_bytes += bytes;
    b->in_bytes += bytes;
    return 0;
}

void budget_received(struct budget *b, struct budget_user *u, size_t bytes)
{
    if (u)
        u->in_bytes -= bytes;
    b->in_bytes -= bytes;
}

/* Slurm's token bucket: so many tokens each period, and never more than the bucket holds. */
static bool take_token(const struct budget *b, struct budget_user *u, int64_t now_s)
{
    int64_t passed = now_s - u->filled_s;
    if (passed < 0 || passed >= (int64_t)b->refill_period_s) {
        uint64_t periods = passed < 0 ? 0 : (uint64_t)passed / b->refill_period_s;
        u->tokens = MIN(u->tokens + periods * b->refill_rate, b->bucket_size);
        u->filled_s = passed < 0 ? now_s : u->filled_s + (int64_t)(periods * b->refill_period_s);
    }
    if (!u->tokens)
        return false;
    u->tokens--;
    return true;
}

static void log_rate(const struct budget *b, struct budget_user *u, int64_t now_s)
{
    if (b->log_freq_s < 0 || (u->logged_s && now_s - u->logged_s < b->log_freq_s))
        return;
    u->logged_s = now_s;
    log_info("RPC rate limit exceeded uid=%u refused=%llu", u->uid, (unsigned long long)u->refused);
}

int budget_request(struct budget *b, struct budget_user *u, size_t bytes, int64_t now_s, struct err *err)
{
    if (u && b->rate && !take_token(b, u, now_s)) {
        slow_down(b, u, err, "too many requests a second");
        log_rate(b, u, now_s);
        return err->code;
    }
    if (u && u->requests >= BUDGET_REQUESTS)
        return slow_down(b, u, err, "too many requests of this user wait");
    int rc = budget_receive(b, u, bytes, err);
    if (!rc && u)
        u->requests++;
    return rc;
}

void budget_answered(struct budget *b, struct budget_user *u, size_t bytes)
{
    budget_received(b, u, bytes);
    if (u)
        u->requests--;
}

size_t budget_out(const struct budget *b, const struct budget_user *u)
{
    return u->unread + (u->turn == b->turn ? u->said : 0);
}

int budget_reply(struct budget *b, struct budget_user *u, struct err *err)
{
    if (u && budget_out(b, u) > BUDGET_OUT_BYTES)
        return slow_down(b, u, err, "this user does not read the replies");
    return 0;
}

/* ---- time ---- */

void budget_turn(struct budget *b, const struct site *site)
{
    b->turn++;
    if (b->site != site)
        budget_configure(b, site);
    b->site = site;
}

static int64_t used_us(const struct budget *b, const struct budget_user *u)
{
    return u->turn == b->turn ? u->used_us : 0;
}

void budget_spend(struct budget *b, struct budget_user *u, int64_t us, size_t said)
{
    if (!u)
        return;
    u->used_us = used_us(b, u) + us;
    u->said = (u->turn == b->turn ? u->said : 0) + said;
    u->turn = b->turn;
}

bool budget_spent(const struct budget *b, const struct budget_user *u)
{
    return u && used_us(b, u) >= BUDGET_SLICE_US;
}
