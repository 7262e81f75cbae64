/* document - what surrounds the records of a --json or --yaml answer; see show.h. */
#include "base/str.h"
#include "show/show.h"

/* The release of Slurm whose data_parser versions these are. */
#define SLURM_MAJOR "26"
#define SLURM_MINOR "05"
#define SLURM_MICRO "5"

#define PARSER_PREFIX "v0.0."

unsigned show_parser_find(const char *text)
{
    if (str_empty(text))
        return SHOW_PARSER;
    if (str_eq(text, "list"))
        return SHOW_PARSER_LIST;
    if (str_has_prefix(text, "data_parser/"))
        text += strlen("data_parser/");
    uint64_t n;
    if (!str_has_prefix(text, PARSER_PREFIX) ||
        !str_u64(text + strlen(PARSER_PREFIX), SHOW_PARSER_OLDEST, SHOW_PARSER, &n))
        return 0;
    return (unsigned)n;
}

void show_parser_list(struct buf *out)
{
    for (unsigned n = SHOW_PARSER_OLDEST; n <= SHOW_PARSER; n++)
        buf_addf(out, "data_parser/" PARSER_PREFIX "%u\n", n);
}

void show_document_begin(struct show_json *j)
{
    show_json_object(j);
}

static void put_object(struct show_json *j, const char *key, const char *const pairs[][2])
{
    show_json_key(j, key, strlen(key));
    show_json_object(j);
    for (; (*pairs)[0]; pairs++)
        show_json_key_text(j, (*pairs)[0], (*pairs)[1]);
    show_json_close(j);
}

static void put_command(struct show_json *j, char *const *argv)
{
    show_json_key(j, "command", 7);
    show_json_array(j);
    for (; argv && *argv; argv++)
        show_json_text(j, *argv, strlen(*argv));
    show_json_close(j);
}

static void put_slurm(struct show_json *j, const char *cluster)
{
    show_json_key(j, "slurm", 5);
    show_json_object(j);
    put_object(j, "version", (const char *const[][2]){ { "major", SLURM_MAJOR },
                                                       { "micro", SLURM_MICRO },
                                                       { "minor", SLURM_MINOR },
                                                       { NULL, NULL } });
    show_json_key_text(j, "release", "spur " SPUR_VERSION);
    show_json_key_text(j, "cluster", cluster);
    show_json_close(j);
}

/* An array of at most one warning. */
static void put_warnings(struct show_json *j, const char *warning)
{
    show_json_key(j, "warnings", 8);
    show_json_array(j);
    if (warning) {
        show_json_object(j);
        show_json_key_text(j, "description", warning);
        show_json_key_text(j, "source", "");
        show_json_close(j);
    }
    show_json_close(j);
}

static void put_empty(struct show_json *j, const char *key)
{
    show_json_key(j, key, strlen(key));
    show_json_array(j);
    show_json_close(j);
}

void show_document_end(struct show_json *j, const struct show_meta *m)
{
    char parser[48];
    snprintf(parser, sizeof(parser), "data_parser/" PARSER_PREFIX "%u", j->parser);
    show_json_key(j, "meta", 4);
    show_json_object(j);
    put_object(j, "plugin", (const char *const[][2]){ { "type", "" },
                                                      { "name", "" },
                                                      { "data_parser", parser },
                                                      { "accounting_storage", m->accounting_storage },
                                                      { NULL, NULL } });
    put_object(j, "client", (const char *const[][2]){ { "source", "" },
                                                      { "user", m->user },
                                                      { "group", m->group },
                                                      { NULL, NULL } });
    put_command(j, m->argv);
    put_slurm(j, m->cluster);
    show_json_close(j);
    put_empty(j, "errors");
    put_warnings(j, m->warning);
    show_json_close(j);
}
