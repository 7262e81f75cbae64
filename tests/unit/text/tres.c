/* Sizes, generic resources and trackable resources; the answers are Slurm's. */
#include "test.h"

#include "base/errnum.h"
#include "base/mem.h"
#include "text/size.h"
#include "text/tres.h"

static void test_size(void)
{
    static const struct {
        const char *text;
        uint64_t mb;
        const char *want;
    } cases[] = {
        { "1", 1, "1M" },         { "1023", 1023, "1023M" }, { "1024", 1024, "1G" },     { "1025", 1025, "1025M" },
        { "1536", 1536, "1.50G" }, { "2560", 2560, "2.50G" }, { "3000", 3000, "3000M" }, { "1K", 1, "1M" },
        { "1024k", 1, "1M" },     { "1025K", 2, "2M" },      { "1G", 1024, "1G" },       { "1GB", 1024, "1G" },
        { "1gb", 1024, "1G" },    { "1T", 1048576, "1T" },   { "2TB", 2097152, "2T" },   { "0", 0, "0" },
        { "0G", 0, "0" },         { " 5", 5, "5M" },         { "4000", 4000, "4000M" },  { "1025G", 1049600, "1025G" },
        { "1049088", 1049088, "1.00T" },     { "1572864", 1572864, "1.50T" },
        { "1048577", 1048577, "1048577M" },  { "5000000", 5000000, "5000000M" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint64_t mb = 99;
        char out[SIZE_TEXT];
        ok(!size_mb_parse(cases[i].text, &mb, NULL) && mb == cases[i].mb, "size %s", cases[i].text);
        is_str(size_mb_text(out, mb), cases[i].want, "size %s is shown", cases[i].text);
    }
    static const char *const bad[] = {
        "",    "1gi", "1GiB", "2.5G", "3P",  "-1",  "abc",                  "10X",
        "10%", "5 ",  "5 G",  "1.5",  "1BB", "1GG", "99999999999999999999", "18446744073709551615T",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        uint64_t mb;
        ok(size_mb_parse(bad[i], &mb, &err) && strstr(err.text, bad[i]), "refused: %s", err.text);
    }
    uint64_t n;
    char out[SIZE_TEXT];
    ok(!size_count_parse("2K", &n, NULL) && n == 2048, "a count with a suffix");
    is_str(size_count_text(out, 2048), "2K", "and back");
    is_str(size_count_text(out, 1536), "1536", "never rounded");
    is_str(size_in_unit(out, 1536, 'K'), "1.50K", "in a unit, with two decimals");
    is_str(size_in_unit(out, 3ull << 30, 'G'), "3G", "without decimals where there are none");
    is_str(size_in_unit(out, 1, 'P'), "0.00P", "however small");
    is_str(size_in_unit(out, 0, 'G'), "0", "nothing is nothing");
    is_str(size_mb_text(out, UINT64_MAX), "18446744073709551615M", "the largest fits");
}

static void test_gres(void)
{
    static const struct {
        const char *spec, *want;
    } cases[] = {
        { "gpu", "gpu:1" },
        { "gpu:2", "gpu:2" },
        { "gpu:0", "gpu:0" },
        { "gres/gpu:2", "gpu:2" },
        { "gres:gpu:2", "gpu:2" },
        { "gpu=2", "gpu:2" },
        { "gres/gpu=2", "gpu:2" },
        { "gpu:tesla:2,shard:4", "gpu:tesla:2,shard:4" },
        { "gpu:tesla", "gpu:tesla:1" },
        { "gpu:3090:2", "gpu:3090:2" },
        { "gpu:1g.5gb:2", "gpu:1g.5gb:2" },
        { "gpu,gpu:2", "gpu:3" },
        { "gpu:1K", "gpu:1K" },
        { "none", "" },
        { "NONE", "" },
        { "", "" },
        { "gpu:2,,gpu:1", "gpu:3" },
        { "gpu:a100:2,gpu:v100:1", "gpu:a100:2,gpu:v100:1" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_gres struct gres_list l = GRES_INIT;
        int rc = gres_parse(cases[i].spec, &l, &err);
        auto_free char *got = gres_text(&l);
        is_str(rc ? err.text : got, cases[i].want, "gres %s", cases[i].spec);
    }
    static const char *const bad[] = {
        "gpu:", "gpu::2", "gpu:-1:", "gpu:2(S:0)", ":2", "gpu*2", " gpu:1", "gpu:x:y:2", "gpu:2*2", "gres",
        "gres/gres:1",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        auto_gres struct gres_list l = GRES_INIT;
        ok(gres_parse(bad[i], &l, &err) == ESLURM_INVALID_GRES && strstr(err.text, bad[i]) && !l.n, "refused: %s",
           err.text);
    }
}

static void test_gres_dialects(void)
{
    struct err err = ERR_INIT;
    auto_gres struct gres_list gpus = GRES_INIT, node = GRES_INIT, bad = GRES_INIT;
    ok(!gres_parse_gpus("a100:2,v100:1", &gpus, &err), "--gpus with types");
    is_int(gres_count(&gpus, "gpu", NULL), 3, "all cards");
    is_int(gres_count(&gpus, "gpu", "a100"), 2, "cards of one type");
    is_int(gres_parse_gpus("2,a100:1", &bad, &err), ESLURM_INVALID_GRES_TYPE, "with and without a type is refused");

    ok(!gres_parse_node("gpu:a100:4(S:0,1),shard:8,nic:no_consume:2,gpu:a100:4(S:2,3)", &node, &err), "a node's Gres");
    auto_free char *text = gres_text(&node);
    is_str(text, "gpu:a100:4(S:0,1),shard:8,nic:no_consume:2,gpu:a100:4(S:2,3)", "and back");
    is_int(gres_count(&node, "gpu", "a100"), 8, "both places count");
    ok(gres_parse_node("gpu:2(S:0", &bad, &err), "refused: %s", err.text);

    auto_free char *p = gres_spec_prefixed("gpu,gres/nic:2", "gres/");
    is_str(p, "gres/gpu,gres/nic:2", "the user's words, prefixed");
    auto_free char *q = gres_spec_prefixed("a100:2,v100:1", "gres/gpu:");
    is_str(q, "gres/gpu:a100:2,gres/gpu:v100:1", "the same for --gpus");
}

static void test_tres(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "cpu=4,mem=8G,node=1,billing=4,gres/gpu=2", "cpu=4,mem=8G,node=1,billing=4,gres/gpu=2" },
        { "gres/gpu:a100=2,gres/gpu=2,node=1,cpu=4", "cpu=4,node=1,gres/gpu:a100=2,gres/gpu=2" },
        { "mem=100", "mem=100M" },
        { "mem=1.50G", "mem=1.50G" },
        { "cpu=0,mem=0", "" },
        { "cpu=-1,node=unlimited", "cpu=-1,node=-1" },
        { "", "" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        auto_tres struct tres_list l = TRES_INIT;
        int rc = tres_parse(cases[i].text, &l, &err);
        auto_free char *got = tres_text(&l);
        is_str(rc ? err.text : got, cases[i].want, "tres %s", cases[i].text);
    }
    static const char *const bad[] = { "cpu", "cpu=", "=4", "cpu=x", "mem=1.5G", "mem=1.50", "cpu=1,cpu=2" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        auto_tres struct tres_list l = TRES_INIT;
        ok(tres_parse(bad[i], &l, &err) == ESLURM_INVALID_TRES, "%s is refused: %s", bad[i], err.text);
    }
}

static void test_tres_sums(void)
{
    auto_tres struct tres_list a = TRES_INIT, b = TRES_INIT;
    tres_set(&a, "cpu", 4);
    tres_add(&a, "gres/gpu", 4);
    tres_add_all(&b, &a, 3);
    auto_free char *sum = tres_text(&b);
    is_str(sum, "cpu=12,gres/gpu=12", "sums");
    tres_sub_all(&b, &a);
    tres_set(&a, "cpu", 99);
    tres_sub_all(&b, &a);
    is_int(tres_get(&b, "cpu", 7), 0, "never below nothing");
    is_int(tres_get(&b, "mem", 7), 7, "absent");
    tres_set(&a, "cpu", TRES_UNLIMITED - 1);
    tres_add(&a, "cpu", 5);
    ok(tres_get(&a, "cpu", 0) == TRES_UNLIMITED - 1, "a sum stays a number");
}

int main(void)
{
    test_size();
    test_gres();
    test_gres_dialects();
    test_tres();
    test_tres_sums();
    return test_done();
}
