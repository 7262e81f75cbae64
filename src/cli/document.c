/* document - --json and --yaml of the commands; see document.h. */
#include "cli/document.h"

#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/names.h"
#include "cli/say.h"
#include "text/site.h"

int document_opt(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct document *d = (struct document *)((char *)into + o->at);
    d->format = str_eq(o->name, "yaml") ? SHOW_YAML : SHOW_JSON;
    d->parser_text = arg;
    return 0;
}

static int list_parsers(void)
{
    auto_buf struct buf out = BUF_INIT;
    fputs("Possible data_parser plugins:\n", stderr);
    show_parser_list(&out);
    fputs(out.s, stdout);
    return 0;
}

/* SLURM_JSON and SLURM_YAML say how dense the text is. */
static bool layout_known(enum show_format format)
{
    const char *how = getenv(format == SHOW_YAML ? "SLURM_YAML" : "SLURM_JSON");
    return str_empty(how) || str_ieq(how, "compact") || str_ieq(how, "pretty");
}

int document_check(struct document *d, int wrong)
{
    if (d->format == SHOW_TABLES)
        return -1;
    unsigned parser = show_parser_find(d->parser_text);
    if (parser == SHOW_PARSER_LIST)
        return list_parsers();
    if (!parser) {
        say_error("load_plugins: unable to find plugin: data_parser/%s", d->parser_text);
        say_error("data_parser_g_new: failure loading plugins: Plugin has invalid format or unable to be loaded");
        say_error("application/%s output not supported by data_parser/v0.0.%d",
                  d->format == SHOW_YAML ? "x-yaml" : "json", SHOW_PARSER);
        return wrong;
    }
    if (!layout_known(d->format)) {
        say_fatal("Unable to parse serializer \"%s\" flags: Invalid argument",
                  getenv(d->format == SHOW_YAML ? "SLURM_YAML" : "SLURM_JSON"));
        return 1;
    }
    return -1;
}

void document_begin(struct document *d)
{
    buf_reset(&d->out); /* what a failed command began */
    show_json_init(&d->json, &d->out, d->format, show_parser_find(d->parser_text));
    show_document_begin(&d->json);
}

void document_rows_begin(struct document *d, const char *key, const struct show_table *t)
{
    show_json_key(&d->json, key, strlen(key));
    show_json_array(&d->json);
    show_plan_init(&d->plan, t, d->json.parser);
}

void document_row(struct document *d, const void *row)
{
    show_plan_row(&d->plan, row, &d->json);
}

void document_rows_end(struct document *d)
{
    show_json_close(&d->json);
    show_plan_clear(&d->plan);
}

void document_abandon(struct document *d)
{
    show_plan_clear(&d->plan);
    show_json_clear(&d->json);
    buf_clear(&d->out);
}

void document_record(struct document *d, const char *key, const struct show_table *t, const void *row)
{
    struct show_plan plan;
    show_json_key(&d->json, key, strlen(key));
    show_plan_init(&plan, t, d->json.parser);
    show_plan_row(&plan, row, &d->json);
    show_plan_clear(&plan);
}

void document_time(struct document *d, const char *key, int64_t at_s)
{
    show_json_key(&d->json, key, strlen(key));
    show_json_number(&d->json, SHOW_SET, at_s);
}

static const char *accounting_storage(const struct conf *conf)
{
    const char *value = NULL;
    for (size_t i = 0; i < conf->line.n; i++) {
        const char *one = conf_line_value(conf, &conf->line.at[i], "AccountingStorageType");
        value = one ? one : value;
    }
    return str_or(value, "");
}

void document_end(struct document *d, const struct client *c)
{
    const struct site *site = client_site(c);
    struct show_meta meta = {
        .argv = say_argv,
        .user = names_user(getuid()),
        .group = names_group(getgid()),
        .cluster = site->cluster,
        .accounting_storage = accounting_storage(&site->conf),
        .warning = d->warning,
    };
    show_document_end(&d->json, &meta);
    fwrite(d->out.s, 1, d->out.len, stdout);
    fflush(stdout);
    show_json_clear(&d->json);
    buf_clear(&d->out);
}
