/*
 * slurm.conf from hostile hands: the grammar, then the whole site, then what `show config` makes of it.
 * A \x01 splits the input: what follows is the file that every Include finds.
 */
#include "fuzz.h"

#include <string.h>

#include "base/str.h"
#include "text/site.h"

struct rest {
    const char *text;
    size_t len;
};

static int open_rest(void *arg, const char *path, struct buf *out, struct err *err)
{
    const struct rest *r = arg;
    if (strstr(path, "none"))
        return err_set(err, ENOENT, "cannot read %s", path);
    buf_add(out, r->text, r->len);
    return 0;
}

/* Every line has pairs, every pair a key, and they lie inside the list. */
static void check_lines(const struct conf *c)
{
    size_t pairs = 0;
    for (size_t i = 0; i < c->line.n; i++) {
        const struct conf_line *line = &c->line.at[i];
        check(line->n && line->first == pairs && line->number && line->file);
        pairs += line->n;
        for (uint32_t k = 0; k < line->n; k++) {
            const struct conf_pair *pair = &c->pair.at[line->first + k];
            check(*pair->key && !strpbrk(pair->key, " \t\n\"#=") && !strchr(pair->value, '\n'));
        }
    }
}

static void check_site(const struct site *s)
{
    check(s->nctl && s->cluster && s->socket_dir);
    for (size_t i = 0; i < s->nnodes; i++)
        check(site_node(s, s->node[i].name) == &s->node[i] && s->node[i].port && s->node[i].state);
    for (size_t i = 0; i < s->nparts; i++)
        for (size_t k = 0; k < s->part[i].nnodes; k++)
            check(s->part[i].node[k] < s->nnodes && (!k || s->part[i].node[k - 1] < s->part[i].node[k]));
    auto_buf struct buf out = BUF_INIT;
    struct site_facts facts = { .now = 1, .boot = 1, .next_job_id = 1, .node_count = 1, .version = "1" };
    site_config_text(s, &facts, &out);
    check(str_has_prefix(out.s, "Configuration data as of "));
}

static void forget(void *arg, const char *key, const char *file, uint32_t line)
{
    check(key && file && line);
    ++*(size_t *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    const char *text = (const char *)data, *cut = n ? memchr(text, 1, n) : NULL;
    size_t len = cut ? (size_t)(cut - text) : n;
    struct rest rest = { cut ? cut + 1 : "A=1\n", cut ? n - len - 1 : 4 };
    auto_conf struct conf c = CONF_INIT;
    struct err err = ERR_INIT;
    int rc = conf_parse_text(&c, text, len, "/etc/f", open_rest, &rest, &err);
    check(!rc == !err.text[0]);
    if (!rc)
        check_lines(&c);

    auto_free char *whole = mem_printf("ClusterName=f\nSlurmctldHost=h\n%.*s", (int)len, len ? text : "");
    struct site *s = NULL;
    struct err why = ERR_INIT;
    rc = site_load_text(&s, whole, strlen(whole), "/etc/f", &why);
    check(!rc == !why.text[0] && !rc == !!s);
    if (rc)
        return 0;
    size_t unused = 0;
    check_site(s);
    conf_unused(s, forget, &unused);
    site_free(s);
    return 0;
}
