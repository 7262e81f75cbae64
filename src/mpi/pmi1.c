/* pmi1 - the commands of PMI-1: "cmd=put kvsname=42.0 key=a value=b", a line each; see pmi_priv.h. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "mpi/pmi_priv.h"

/* Words that contain '=', separated by blanks; other words are skipped. */
static void pmi1_parse(char *line, struct pmi_msg *m)
{
    m->n = 0;
    for (char *save, *word = strtok_r(line, " \t\r", &save); word && m->n < PMI_PAIRS;
         word = strtok_r(NULL, " \t\r", &save)) {
        char *eq = strchr(word, '=');
        if (!eq)
            continue;
        *eq = '\0';
        m->pair[m->n].key = word;
        m->pair[m->n++].value = eq + 1;
    }
}

__attribute__((format(printf, 3, 4))) static void answer(struct pmi *p, uint32_t local, const char *fmt, ...)
{
    auto_buf struct buf out = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_addv(&out, fmt, ap);
    va_end(ap);
    buf_addc(&out, '\n');
    pmi_reply(p, local, &out);
}

static void pmi1_init(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    const char *version = str_or(pmi_value(m, "pmi_version"), "1");
    bool two = str_eq(version, "2");
    if (!two && strcmp(version, "1")) {
        answer(p, local, "cmd=response_to_init rc=-1 pmi_version=2 pmi_subversion=0");
        return;
    }
    p->task[local].dialect = two ? PMI_TWO : PMI_ONE;
    answer(p, local, "cmd=response_to_init rc=0 pmi_version=%s pmi_subversion=%d", version, two ? 0 : 1);
}

static void get_maxes(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    answer(p, local, "cmd=maxes rc=0 kvsname_max=256 keylen_max=%d vallen_max=%d", PMI_KEY_MAX, PMI_VALUE_MAX);
}

static void get_appnum(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    answer(p, local, "cmd=appnum rc=0 appnum=-1");
}

static void get_my_kvsname(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    answer(p, local, "cmd=my_kvsname rc=0 kvsname=%s", p->place.job);
}

static void get_universe_size(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    answer(p, local, "cmd=universe_size rc=0 size=%u", p->place.size);
}

static void pmi1_put(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    const char *key = str_or(pmi_value(m, "key"), ""), *value = str_or(pmi_value(m, "value"), ""), *why;
    if (pmi_put(p, &p->kvs, key, value, &why)) {
        answer(p, local, "cmd=put_result rc=-1 msg=%s", why);
        return;
    }
    buf_add(&p->fresh, key, strlen(key) + 1);
    buf_add(&p->fresh, value, strlen(value) + 1);
    answer(p, local, "cmd=put_result rc=0");
}

static void pmi1_get(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    const char *value = pmi_get(&p->kvs, str_or(pmi_value(m, "key"), ""));
    if (value)
        answer(p, local, "cmd=get_result rc=0 value=%s", value);
    else
        answer(p, local, "cmd=get_result rc=1");
}

static void barrier_in(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    pmi_fence(p, local);
}

void pmi1_fenced(struct pmi *p, uint32_t local, int status)
{
    answer(p, local, "cmd=barrier_out rc=%d", status ? -1 : 0);
}

static void pmi1_finalize(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    answer(p, local, "cmd=finalize_ack rc=0");
}

static void abort_step(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    int64_t code = 0;
    str_i64(str_or(pmi_value(m, "exitcode"), ""), INT32_MIN, INT32_MAX, &code);
    p->ops->abort(p->arg, local, (int)code, "");
}

static void pmi1_spawn(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    p->task[local].in_spawn = true; /* the lines up to "endcmd" belong to this command */
}

/* Commands for service names are refused; each has its own name of the reply. */
static void no_names(struct pmi *p, uint32_t local, const char *word)
{
    answer(p, local, "cmd=%s rc=-1 info=not_supported msg=names_are_not_published_by_this_server", word);
}

static void pmi1_publish(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    no_names(p, local, "publish_result");
}

static void pmi1_unpublish(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    no_names(p, local, "unpublish_result");
}

static void pmi1_lookup(struct pmi *p, uint32_t local, const struct pmi_msg *m)
{
    no_names(p, local, "lookup_result");
}

static const struct pmi_command commands[] = {
    { "init", pmi1_init },
    { "get_maxes", get_maxes },
    { "get_appnum", get_appnum },
    { "get_my_kvsname", get_my_kvsname },
    { "get_universe_size", get_universe_size },
    { "put", pmi1_put },
    { "get", pmi1_get },
    { "barrier_in", barrier_in },
    { "finalize", pmi1_finalize },
    { "abort", abort_step },
    { "spawn", pmi1_spawn },
    { "publish_name", pmi1_publish },
    { "unpublish_name", pmi1_unpublish },
    { "lookup_name", pmi1_lookup },
    { 0 },
};

void pmi1_line(struct pmi *p, uint32_t local, char *line)
{
    struct pmi_task *t = &p->task[local];
    struct pmi_msg m;
    if (t->in_spawn) {
        if (!str_has_prefix(line, "endcmd"))
            return;
        t->in_spawn = false;
        pmi_no_spawn(p, local);
        answer(p, local, "cmd=spawn_result rc=-1 msg=spawn_is_not_supported");
        return;
    }
    pmi1_parse(line, &m);
    const char *name = pmi_value(&m, "cmd");
    if (!name)
        name = str_or(pmi_value(&m, "mcmd"), "");
    if (t->dialect == PMI_UNKNOWN && strcmp(name, "init"))
        name = "";
    if (!pmi_dispatch(commands, name, p, local, &m)) {
        auto_free char *text = mem_printf("mpi/pmi2: invalid pmi1 command received: '%.40s'", name);
        p->ops->complain(p->arg, local, text);
    }
}
