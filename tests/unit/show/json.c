/* json: rows as JSON and YAML, by data_parser version; the writer; the document around them. */
#include "sample.h"
#include "test.h"

static const char *render(const struct sample *row, enum show_format format, unsigned parser)
{
    static struct buf out = BUF_INIT;
    struct show_json j;
    struct show_plan p;
    buf_reset(&out);
    show_json_init(&j, &out, format, parser);
    show_plan_init(&p, &sample_table, parser);
    show_plan_row(&p, row, &j);
    show_plan_clear(&p);
    show_json_clear(&j);
    return out.s;
}

#define NUMBER(set, infinite, n) "{\"set\":" set ",\"infinite\":" infinite ",\"number\":" n "}"

static void test_compact(void)
{
    setenv("SLURM_JSON", "compact", 1);
    is_str(render(&full, SHOW_JSON, 44),
           "{\"name\":\"ada\",\"step\":{\"id\":42,\"comment\":\"a \\\"b\\\"\\n\xc3\xa4\\ufffd\"},\"label\":\"ada#42\","
           "\"words\":[\"x\",\"y[1,2]\"],\"up\":true,"
           "\"time\":{\"start\":" NUMBER("true", "false", "3600") ",\"limit\":" NUMBER("true", "false", "90")
           ",\"ran\":61},\"memory\":" NUMBER("true", "false", "2048")
           ",\"exit\":{\"status\":[\"SIGNALED\"],\"return_code\":" NUMBER("false", "false", "0")
           ",\"signal\":{\"id\":" NUMBER("true", "false", "9") ",\"name\":\"KILL\"}},\"load\":1.0,"
           "\"lines\":[\"one\",\"two\"],\"disks\":[{\"name\":\"sda\",\"size\":10},{\"name\":\"sdb\",\"size\":20}],"
           "\"disk\":{\"name\":\"sda\",\"size\":10}}\n",
           "every type, nested paths, escapes");
    is_str(render(&empty, SHOW_JSON, 45),
           "{\"name\":\"\",\"step\":{\"id\":0},\"label\":\"(null)#0\",\"words\":[],\"up\":false,"
           "\"time\":{\"start\":" NUMBER("true", "false", "0") ",\"limit\":" NUMBER("false", "true", "0")
           ",\"ran\":0},\"memory\":" NUMBER("false", "false", "0")
           ",\"exit\":{\"status\":[\"SUCCESS\"],\"return_code\":" NUMBER("true", "false", "0")
           ",\"signal\":{\"id\":" NUMBER("false", "false", "0") ",\"name\":\"\"}},\"load\":0.0,"
           "\"lines\":[],\"disks\":[],\"disk\":null}\n",
           "unset, infinite, empty; a field that the version no longer has");
    ok(!strstr(render(&full, SHOW_JSON, 42), "limit"), "a field that the version does not have yet");
    unsetenv("SLURM_JSON");
}

static void test_layout(void)
{
    struct buf out = BUF_INIT;
    struct show_json j;
    static const struct { enum show_format format; const char *want; } cases[] = {
        { SHOW_JSON, "{\n  \"a\": [\n    1,\n    [\n      \"x\",\n      true\n    ],\n"
                     "    {\n      \"k\": null\n    },\n    []\n"
                     "  ],\n  \"b\": {},\n  \"c\": -1.5e+300\n}\n" },
        { SHOW_YAML, "a:\n  - 1\n  - - \"x\"\n    - true\n  - k: null\n  - []\nb: {}\nc: -1.5e+300\n" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        buf_reset(&out);
        show_json_init(&j, &out, cases[i].format, SHOW_PARSER);
        show_json_object(&j);
        show_json_key(&j, "a", 1);
        show_json_array(&j);
        show_json_int(&j, 1);
        show_json_array(&j);
        show_json_text(&j, "x", 1);
        show_json_bool(&j, true);
        show_json_close(&j);
        show_json_object(&j);
        show_json_key(&j, "k", 1);
        show_json_null(&j);
        show_json_close(&j);
        show_json_array(&j);
        show_json_close(&j);
        show_json_close(&j);
        show_json_key(&j, "b", 1);
        show_json_object(&j);
        show_json_close(&j);
        show_json_key(&j, "c", 1);
        show_json_real(&j, -1.5e300);
        show_json_close(&j);
        is_str(out.s, cases[i].want, "%s is laid out", i ? "YAML" : "JSON");
        show_json_clear(&j);
    }
    buf_clear(&out);
}

static void test_document(void)
{
    struct buf out = BUF_INIT;
    struct show_json j;
    show_json_init(&j, &out, SHOW_YAML, 44);
    show_document_begin(&j);
    char *argv[] = { (char *)"squeue", (char *)"--yaml", NULL };
    show_document_end(&j, &(struct show_meta){ argv, "ada", "users", "box", "accounting_storage/none" });
    is_str(out.s,
           "meta:\n  plugin:\n    type: \"\"\n    name: \"\"\n    data_parser: \"data_parser/v0.0.44\"\n"
           "    accounting_storage: \"accounting_storage/none\"\n  client:\n    source: \"\"\n    user: \"ada\"\n"
           "    group: \"users\"\n  command:\n    - \"squeue\"\n    - \"--yaml\"\n  slurm:\n    version:\n"
           "      major: \"26\"\n      micro: \"5\"\n      minor: \"05\"\n    release: \"spur " SPUR_VERSION "\"\n"
           "    cluster: \"box\"\nerrors: []\nwarnings: []\n",
           "what a document says about itself");
    buf_clear(&out);
    is_int(show_parser_find(NULL), SHOW_PARSER, "the newest data_parser");
    is_int(show_parser_find("v0.0.42"), 42, "an older one");
    is_int(show_parser_find("data_parser/v0.0.43"), 43, "by its whole name");
    is_int(show_parser_find("v0.0.99"), 0, "one that is unknown");
    is_int(show_parser_find("list"), SHOW_PARSER_LIST, "the list of them");
}

int main(void)
{
    test_compact();
    test_layout();
    test_document();
    return test_done();
}
