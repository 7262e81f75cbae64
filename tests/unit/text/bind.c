/* How tasks are bound, as users write it; sentences are those of Slurm 26.05. */
#include "text/bind.h"

#include "test.h"

static void test_cpu(void)
{
    /* clang-format off */
    static const struct { const char *in, *type, *list, *text; } cases[] = {
        { "cores", "cores", "", "cores" },
        { "verbose", "", "", "verbose" },
        { "v,none", "none", "", "verbose,none" },
        { "q,no", "none", "", "quiet,none" },
        { "v,map_cpu:0,1", "map_cpu:", "0,1", "verbose,map_cpu:0,1" },
        { "map_cpu:0*2,3,v", "map_cpu:", "0,0,3", "verbose,map_cpu:0,0,3" },
        { "map_cpu=0x1f", "map_cpu:", "0x1f", "map_cpu:0x1f" },
        { "mask_cpu:0x2,0x3", "mask_cpu:", "2,3", "mask_cpu:2,3" },
        { "mask_cpu:f0,ff*2", "mask_cpu:", "f0,ff,ff", "mask_cpu:f0,ff,ff" },
        { "rank_ldom", "rank_ldom", "", "rank_ldom" },
        { "map_ldom:0,1", "map_ldom:", "0,1", "map_ldom:0,1" },
        { "mask_ldom:1", "mask_ldom:", "1", "mask_ldom:1" },
        { "none,cores", "cores", "", "cores" },
        { "cores,threads", "threads", "", "threads" },
        { "map_cpu:1,sockets", "sockets", "", "sockets" },
        { "socket", "sockets", "", "sockets" },
        { "V,LDOMS", "ldoms", "", "verbose,ldoms" },
        { "v,rank", "", "", "verbose" },
    };
    static const struct { const char *in, *says; } wrong[] = {
        { "xx", "unrecognized --cpu-bind argument \"xx\"" },
        { "", "unrecognized --cpu-bind argument \"\"" },
        { "cores,xx", "unrecognized --cpu-bind argument \"xx\"" },
        { "cores:1", "unrecognized --cpu-bind argument \"cores:1\"" },
        { "boards", "unrecognized --cpu-bind argument \"boards\"" },
        { "map_cpu", "missing list for \"--cpu-bind=map_cpu:<list>\"" },
        { "map_cpu:", "missing list for \"--cpu-bind=map_cpu:<list>\"" },
        { "map_cpu:x", "Failed to validate number: x, the offending character is x" },
        { "mask_cpu:zz", "Failed to validate number: zz, the offending character is z" },
        { "map_cpu:1f", "Failed to validate number: 1f, the offending character is f" },
        { "map_cpu:0*x", "\"x\" is not a number of repetitions" },
        { "map_cpu:0*65536,1", "a list of more than 65536 entries" },
    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_bind_cpu struct bind_cpu b = { 0 };
        struct err err = ERR_INIT;
        is_int(bind_cpu_parse(cases[i].in, &b, &err), 0, "%s is a binding", cases[i].in);
        auto_free char *type = bind_cpu_type(&b), *list = bind_list_text(&b.list), *text = bind_cpu_text(&b);
        is_str(type, cases[i].type, "type of %s", cases[i].in);
        is_str(list, cases[i].list, "list of %s", cases[i].in);
        is_str(text, cases[i].text, "text of %s", cases[i].in);
    }
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        auto_bind_cpu struct bind_cpu b = { 0 };
        struct err err = ERR_INIT;
        ok(bind_cpu_parse(wrong[i].in, &b, &err), "\"%s\" is none", wrong[i].in);
        is_str(err.text, wrong[i].says, "and why");
    }
}

static void test_mem(void)
{
    /* clang-format off */
    static const struct { const char *in, *text; } cases[] = {
        { "local", "local" }, { "v,map_mem:0", "verbose,map_mem:0" },
        { "v,prefer,map_mem:0,0", "verbose,prefer,map_mem:0,0" },
        { "mask_mem:0x1,3", "mask_mem:1,3" }, { "quiet,none", "quiet,none" },
        { "rank,sort", "sort,rank" }, { "p", "prefer" },
    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_bind_mem struct bind_mem b = { 0 };
        is_int(bind_mem_parse(cases[i].in, &b, NULL), 0, "%s is a binding", cases[i].in);
        auto_free char *text = bind_mem_text(&b);
        is_str(text, cases[i].text, "text of %s", cases[i].in);
    }
    auto_bind_mem struct bind_mem b = { 0 };
    struct err err = ERR_INIT;
    ok(bind_mem_parse("q,xx", &b, &err), "xx is none");
    is_str(err.text, "unrecognized --mem-bind argument \"xx\"", "and why");
    ok(bind_mem_parse("map_mem:", &b, &err), "a map without a list is none");
    is_str(err.text, "missing list for \"--mem-bind=map_mem:<list>\"", "and why");
}

static void test_gres(void)
{
    auto_bind_gres struct bind_gres b = { 0 };
    is_int(bind_tres_parse("gres/nic:closest+gres/gpu:verbose,map:1,0*2", "gpu", &b, NULL), 0, "two kinds of devices");
    auto_free char *list = bind_list_text(&b.list);
    ok(b.how == BIND_GRES_MAP && b.verbose, "the GPUs are bound by a map");
    is_str(list, "1,0,0", "this one");
    is_int(bind_tres_parse("gres/gpu:per_task:3", "gpu", &b, NULL), 0, "a count");
    ok(b.how == BIND_GRES_PER_TASK && b.n == 3 && !b.list.n, "of this many");
    static const char *const wrong[] = {
        "xx",               "gres/gpu:xx",     "gpu:none",          "gres/gpu:map:x",    "gres/:none",
        "gres/gpu:verbose", "gres/gpu:v,none", "gres/gpu:single:x", "gres/gpu:single:0",
    };
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        ok(bind_tres_parse(wrong[i], "gpu", NULL, NULL), "%s is none", wrong[i]);
}

static void test_dist(void)
{
    /* clang-format off */
    static const struct { const char *in, *text; uint32_t plane; } cases[] = {
        { "block", "block", 0 }, { "block:cyclic:fcyclic", "block:cyclic:fcyclic", 0 }, { "plane=2", "plane", 2 },
        { "cyclic:block,pack", "cyclic:block,pack", 0 }, { "*:*", "block", 0 }, { "*:fcyclic", "block:fcyclic", 0 },
        { "*:*:cyclic", "block:cyclic:cyclic", 0 },
        { "ARBITRARY", "arbitrary", 0 }, { "block,NoPack", "block,nopack", 0 }, { "plane", "plane", 0 },
    };
    /* clang-format on */
    static const char *const wrong[] = {
        "",       "xx",      "block:xx",    "plane=x",                 "plane=0",       "block:block:xx", "block,xx",
        "block:", "fcyclic", "block:plane", "block:block:block:block", "plane=2:block",
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bind_dist d;
        is_int(bind_dist_parse(cases[i].in, &d, NULL), 0, "%s is a distribution", cases[i].in);
        auto_free char *text = bind_dist_text(&d);
        is_str(text, cases[i].text, "text of %s", cases[i].in);
        is_int(d.plane, cases[i].plane, "plane of %s", cases[i].in);
    }
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        struct bind_dist d;
        ok(bind_dist_parse(wrong[i], &d, NULL), "\"%s\" is none", wrong[i]);
    }
}

int main(void)
{
    test_cpu();
    test_mem();
    test_gres();
    test_dist();
    return test_done();
}
