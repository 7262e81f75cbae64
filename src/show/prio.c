/* prio - the fields of sprio; see prio.h. */
#include "show/prio.h"

#include "base/str.h"
#include "show/row.h"

#define ROW_OF(row) ((const struct prio_row *)(row))
#define JOB(row) (ROW_OF(row)->job)

/* ---- factors ---- */

static double prio_factor(const struct prio_row *r, size_t kind)
{
    return r->job && kind < r->job->n_factor ? r->job->factor[kind] : 0;
}

static uint32_t prio_weight(const struct prio_row *r, size_t kind)
{
    return kind < r->reply->n_weight ? r->reply->weight[kind] : 0;
}

GET(get_norm)
{
    struct buf *out = show_make(v);
    if (!JOB(row))
        buf_addf(out, "%u", prio_weight(row, f->at));
    else if (JOB(row)->n_factor)
        buf_addf(out, "%9.7f", prio_factor(row, f->at));
    else
        buf_adds(out, "0");
}

GET(get_weighted)
{
    double n = JOB(row) ? prio_factor(row, f->at) * prio_weight(row, f->at) : prio_weight(row, f->at);
    buf_addf(show_make(v), "%.0f", n < 0 ? 0.0 : n);
}

/* Sort keys are whole numbers: factors are compared to nine places. */
GET_NUMBER(get_factor_order, prio_factor(row, f->at) * 1e9)

/* ---- TRES ---- */

static void put_tres(struct buf *out, const struct prio_row *r, bool weighted)
{
    const char *sep = "";
    for (size_t i = 0; i < r->reply->n_tres_name && i < r->reply->n_tres_weight; i++) {
        double w = r->reply->tres_weight[i], share = r->job && i < r->job->n_tres ? r->job->tres[i] : 0;
        if (r->job && share == 0)
            continue;
        if (!r->job || weighted)
            buf_addf(out, "%s%s=%.0f", sep, r->reply->tres_name[i], r->job ? share * w : w);
        else
            buf_addf(out, "%s%s=%.2f", sep, r->reply->tres_name[i], share);
        sep = ",";
    }
}

GET(get_tres) { put_tres(show_make(v), row, true); }
GET(get_tres_norm)
{
    if (JOB(row)) /* a weight has no share */
        put_tres(show_make(v), row, false);
}

/* ---- the job; nothing in the line of weights ---- */

GET(get_id)
{
    if (JOB(row))
        buf_addf(show_make(v), "%u", JOB(row)->job_id);
    else
        show_set_text(v, "Weights");
}
GET_NUMBER(get_id_order, JOB(row) ? JOB(row)->job_id : 0)

static void set_word(struct show_value *v, const Pb__PrioJob *j, const char *word)
{
    if (j)
        show_set_text(v, str_or(word, "(null)"));
}

GET(get_account) { set_word(v, JOB(row), JOB(row) ? JOB(row)->account : NULL); }
GET(get_qos) { set_word(v, JOB(row), JOB(row) ? JOB(row)->qos : NULL); }
GET(get_cluster) { set_word(v, JOB(row), NULL); } /* there is no federation */
GET_TEXT(get_part, JOB(row) ? JOB(row)->partition : NULL)

GET(get_user)
{
    if (JOB(row) && ROW_OF(row)->user)
        show_set_text(v, ROW_OF(row)->user(JOB(row)->uid));
    else if (JOB(row))
        buf_addf(show_make(v), "%u", JOB(row)->uid);
}

GET(get_priority)
{
    if (JOB(row))
        show_set_number(v, JOB(row)->priority);
}

GET(get_priority_norm)
{
    const Pb__PrioJob *j = JOB(row);
    if (j)
        buf_addf(show_make(v), "%16.14f", j->fixed ? j->priority : j->priority / 4294967295.0);
}

GET_NUMBER(get_site, JOB(row) ? JOB(row)->site : 1)

GET(get_nice)
{
    if (JOB(row))
        show_set_number(v, JOB(row)->nice);
}

/* clang-format off */
#define COLUMN(name_, letter_, head_, type_, get_, ...) \
    { .name = name_, .letter = letter_, .head = head_, .type = SHOW_##type_, .get = get_, .none = "", __VA_ARGS__ }
#define FACTOR(name_, small_, large_, head_, kind_)                                                            \
    COLUMN(name_ "_norm", small_, head_, TEXT, get_norm, .at = kind_, .sort = get_factor_order),                \
    COLUMN(name_, large_, head_, TEXT, get_weighted, .at = kind_, .sort = get_factor_order)
static const struct show_field fields[] = {
    FACTOR("age",       'a', 'A', "AGE",       PRIO_AGE),
    FACTOR("assoc",     'b', 'B', "ASSOC",     PRIO_ASSOC),
    COLUMN("cluster",       'c', "CLUSTER",   TEXT,   get_cluster),
    FACTOR("fairshare", 'f', 'F', "FAIRSHARE", PRIO_FAIRSHARE),
    COLUMN("jobid",         'i', "JOBID",     TEXT,   get_id, .of = "job_id", .sort = get_id_order),
    FACTOR("size",      'j', 'J', "JOBSIZE",   PRIO_SIZE),
    COLUMN("qosname",       'n', "QOSNAME",   TEXT,   get_qos, .of = "qos"),
    COLUMN("nice",          'N', "NICE",      NUMBER, get_nice, .of = "nice"),
    COLUMN("account",       'o', "ACCOUNT",   TEXT,   get_account, .of = "account"),
    FACTOR("part",      'p', 'P', "PARTITION", PRIO_PART),
    FACTOR("qos",       'q', 'Q', "QOS",       PRIO_QOS),
    COLUMN("partition",     'r', "PARTITION", TEXT,   get_part, .of = "partition"),
    COLUMN("sluid",         's', "SLUID",     TEXT,   show_get_unset),
    COLUMN("site",          'S', "SITE",      NUMBER, get_site, .of = "site"),
    COLUMN("tres_norm",     't', "TRES",      TEXT,   get_tres_norm),
    COLUMN("tres",          'T', "TRES",      TEXT,   get_tres, .of = "tres"),
    COLUMN("user",          'u', "USER",      TEXT,   get_user, .of = "uid user_name"),
    COLUMN("priority",      'Y', "PRIORITY",  NUMBER, get_priority, .of = "priority"),
    COLUMN("priority_norm", 'y', "PRIORITY",  TEXT,   get_priority_norm, .of = "fixed", .sort = get_priority),
    { 0 },
};

static const struct show_skip skips[] = {
    { "factor", "each has two columns" },
    { NULL, NULL },
};
/* clang-format on */

const struct show_table show_prio = { "prio", fields, "", skips };
