/* pmi2 - the commands of PMI-2: "    21cmd=kvs-get;key=a;;b;", a length and pairs; see pmi_priv.h. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "mpi/pmi_priv.h"

/* Parse in place a sequence of "key=value;"; a ';' in a value is doubled. */
static void pmi2_parse(char *text, struct pmi_msg *m)
{
    m->n = 0;
    for (char *at = text; *at && m->n < PMI_PAIRS;) {
        char *key = at, *to = at;
        for (; *at && (*at != ';' || at[1] == ';'); *to++ = *at++)
            at += *at == ';';
        at += *at == ';';
        *to = '\0';
        char *eq = strchr(key, '=');
        if (!eq)
            continue;
        *eq = '\0';
        m->pair[m->n].key = key;
        m->pair[m->n++].value = eq + 1;
    }
}

/* ---- answers ---- */

static void add_value(struct buf *out, const char *key, const char *value)
{
    buf_addf(out, "%s=", key);
    for (; *value; value++) {
        buf_addc(out, *value);
        if (*value == ';')
            buf_addc(out, ';');
    }
    buf_addc(out, ';');
}

/* "cmd=NAME-response;rc=0;...", preceded by its length. */
static void pmi2_answer(struct pmi *p, uint32_t local, const char *name, int rc, const struct buf *more)
{
    auto_buf struct buf body = BUF_INIT, out = BUF_INIT;
    buf_addf(&body, "cmd=%s-response;", name);
    if (p->task[local].thread)
        add_value(&body, "thrid", p->task[local].thread);
    buf_addf(&body, "rc=%d;", rc);
    if (more && more->len)
        buf_add(&body, more->s, more->len);
    buf_addf(&out, "%-6zu", body.len);
    buf_add(&out, body.s, body.len);
    pmi_reply(p, local, &out);
}

static void answer_found(struct pmi *p, uint32_t local, const char *name, const char *value)
{
    auto_buf struct buf more = BUF_INIT;
    buf_adds(&more, value ? "found=TRUE;" : "found=FALSE;");
    if (value)
        add_value(&more, "value", value);
    pmi2_answer(p, local, name, 0, &more);
}

static void answer_error(struct pmi *p, uint32_t local, const char *name, const char *why)
{
    auto_buf struct buf more = BUF_INIT;
    add_value(&more, "errmsg", why);
    pmi2_answer(p, local, name, -1, &more);
}

/* ---- commands ---- */

static void pmi2_fullinit(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    auto_buf struct buf more = BUF_INIT;
    buf_addf(&more, "pmi-version=2;pmi-subversion=0;rank=%u;size=%u;appnum=-1;debugged=FALSE;pmiverbose=FALSE;",
             p->place.rank[local], p->place.size);
    pmi2_answer(p, local, "fullinit", 0, &more);
}

static void job_getid(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    auto_buf struct buf more = BUF_INIT;
    add_value(&more, "jobid", p->place.job);
    pmi2_answer(p, local, "job-getid", 0, &more);
}

static void kvs_put(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    const char *key = str_or(pmi_value(m, "key"), ""), *value = str_or(pmi_value(m, "value"), ""), *why;
    if (pmi_put(p, &p->kvs, key, value, &why)) {
        answer_error(p, local, "kvs-put", why);
        return;
    }
    buf_add(&p->fresh, key, strlen(key) + 1);
    buf_add(&p->fresh, value, strlen(value) + 1);
    pmi2_answer(p, local, "kvs-put", 0, NULL);
}

static void kvs_get(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    answer_found(p, local, "kvs-get", pmi_get(&p->kvs, str_or(pmi_value(m, "key"), "")));
}

static void kvs_fence(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    mem_set_str(&p->task[local].fence_thread, p->task[local].thread);
    pmi_fence(p, local);
}

void pmi2_fenced(struct pmi *p, uint32_t local, int status)
{
    mem_set_str(&p->task[local].thread, p->task[local].fence_thread);
    if (status)
        answer_error(p, local, "kvs-fence", "a node of the step is gone");
    else
        pmi2_answer(p, local, "kvs-fence", 0, NULL);
}

static void pmi2_getjobattr(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    const char *key = str_or(pmi_value(m, "key"), "");
    char size[16];
    snprintf(size, sizeof(size), "%u", p->place.size);
    answer_found(p, local, "info-getjobattr",
                 str_eq(key, "PMI_process_mapping") ? p->place.mapping
                 : str_eq(key, "universeSize")      ? size
                                                    : NULL);
}

static void pmi2_putnodeattr(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    const char *key = str_or(pmi_value(m, "key"), ""), *why;
    if (pmi_put(p, &p->attrs, key, str_or(pmi_value(m, "value"), ""), &why)) {
        answer_error(p, local, "info-putnodeattr", why);
        return;
    }
    pmi2_answer(p, local, "info-putnodeattr", 0, NULL);
    pmi2_attr(p, key);
}

static void pmi2_getnodeattr(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    const char *key = str_or(pmi_value(m, "key"), ""), *value = pmi_get(&p->attrs, key);
    if (!value && str_ieq(pmi_value(m, "wait"), "TRUE")) {
        mem_set_str(&p->task[local].attr, key);
        mem_set_str(&p->task[local].attr_thread, p->task[local].thread);
    } else {
        answer_found(p, local, "info-getnodeattr", value);
    }
}

void pmi2_attr(struct pmi *p, const char *key)
{
    for (uint32_t i = 0; i < p->place.ntasks; i++)
        if (p->task[i].attr && !strcmp(p->task[i].attr, key)) {
            mem_set_str(&p->task[i].attr, NULL);
            mem_set_str(&p->task[i].thread, p->task[i].attr_thread);
            answer_found(p, i, "info-getnodeattr", pmi_get(&p->attrs, key));
        }
}

static void pmi2_finalize(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    pmi2_answer(p, local, "finalize", 0, NULL);
}

static void abort_step(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    p->ops->abort(p->arg, local, 0, str_or(pmi_value(m, "msg"), ""));
}

static void pmi2_spawn(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    pmi_no_spawn(p, local);
    answer_error(p, local, "spawn", "spawn is not supported");
}

static const struct pmi_command commands[] = {
    { "fullinit", pmi2_fullinit },
    { "job-getid", job_getid },
    { "kvs-put", kvs_put },
    { "kvs-get", kvs_get },
    { "kvs-fence", kvs_fence },
    { "info-getjobattr", pmi2_getjobattr },
    { "info-putnodeattr", pmi2_putnodeattr },
    { "info-getnodeattr", pmi2_getnodeattr },
    { "finalize", pmi2_finalize },
    { "abort", abort_step },
    { "spawn", pmi2_spawn },
    { 0 },
};

/* Commands of PMI-2 that this server does not support: an error reply, so that the program does not wait. */
static bool pmi2_refused(struct pmi *p, uint32_t local, const char *name)
{
    static const char *const names[] = { "job-connect", "job-disconnect", "name-publish", "name-unpublish",
                                         "name-lookup" };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(names[i], name)) {
            answer_error(p, local, name, "not supported by this server");
            return true;
        }
    return false;
}

void pmi2_text(struct pmi *p, uint32_t local, char *text)
{
    struct pmi_msg m;
    pmi2_parse(text, &m);
    const char *name = str_or(pmi_value(&m, "cmd"), "");
    mem_set_str(&p->task[local].thread, pmi_value(&m, "thrid"));
    if (pmi_dispatch(commands, name, p, local, &m) || pmi2_refused(p, local, name))
        return;
    auto_free char *said = mem_printf("mpi/pmi2: invalid pmi2 command received: '%.40s'", name);
    p->ops->complain(p->arg, local, said);
}
