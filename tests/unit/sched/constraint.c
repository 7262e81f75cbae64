/* constraint - features, licences and core specialisation: where jobs start and why they wait, as Slurm answered. */
#include "rig.h"

#define WITHOUT(count) ((count) + 1)

static void up(struct rig *r)
{
    static const struct rig_node nodes[] = {
        { .name = "n1",
          .features = "rack1,intel,fast",
          .sockets = 2,
          .cores = 4,
          .threads = 1,
          .mem_mb = 4000,
          .weight = 1 },
        { .name = "n2", .features = "rack1,amd", .sockets = 2, .cores = 4, .threads = 1, .mem_mb = 4000, .weight = 1 },
        { .name = "n3",
          .features = "rack2,intel,big",
          .sockets = 2,
          .cores = 4,
          .threads = 1,
          .mem_mb = 4000,
          .weight = 1 },
        { .name = "n4",
          .features = "rack2,amd,gpu",
          .sockets = 1,
          .cores = 8,
          .threads = 1,
          .mem_mb = 8000,
          .weight = 1 },
    };
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    part.name = (char[]){ "main" }, part.nodes = (char[]){ "n[1-4]" }, part.is_default = true, part.priority_tier = 1;
    rig_licenses = "matlab:4,ansys:2,one";
    rig_up(r, nodes, ARRAY_LEN(nodes), parts, 1);
    rig_licenses = NULL;
}

/* ---- features ---- */

static void test_features(void)
{
    static const struct {
        const char *name, *busy, *want; /* busy: nodes that another job holds exclusively; want NULL: refused */
        struct rig_job job;
    } cases[] = {
        { "-C intel -N2", NULL, "n1:1/1 n3:1/1", { .nodes = 2, .constraint = "intel" } },
        { "-C rack2&amd|fast -N2", NULL, "n1:1/1 n4:1/1", { .nodes = 2, .constraint = "rack2&amd|fast" } },
        { "-C fast|rack2&amd -N2", NULL, NULL, { .nodes = 2, .constraint = "fast|rack2&amd" } },
        { "[rack1|rack2] -N2", NULL, "n1:1/1 n2:1/1", { .nodes = 2, .constraint = "[rack1|rack2]" } },
        { "[rack2|rack1]", NULL, "n3:1/1", { .nodes = 1, .constraint = "[rack2|rack1]" } },
        { "[rack1|rack2] -N3", NULL, NULL, { .nodes = 3, .constraint = "[rack1|rack2]" } },
        { "[rack1|rack2] -n9", NULL, "n1:8/8 n2:1/1", { .ntasks = 9, .constraint = "[rack1|rack2]" } },
        { "the first rack is busy", "n1", "n3:1/1 n4:1/1", { .nodes = 2, .constraint = "[rack1|rack2]" } },
        { "both racks are", "n1,n3", "-", { .nodes = 2, .constraint = "[rack1|rack2]" } },
        { "amd&[rack1|rack2] -N2", NULL, NULL, { .nodes = 2, .constraint = "amd&[rack1|rack2]" } },
        { "[rack1|rack2]&amd", NULL, "n2:1/1", { .nodes = 1, .constraint = "[rack1|rack2]&amd" } },
        { "gpu*1 -N2", NULL, "n3:1/1 n4:1/1", { .nodes = 2, .constraint = "gpu*1" } },
        { "[rack1*1&rack2*1] -N2", NULL, "n1:1/1 n3:1/1", { .nodes = 2, .constraint = "[rack1*1&rack2*1]" } },
        { "[rack1*1&rack2*2]", NULL, "n1:1/1 n3:1/1 n4:1/1", { .constraint = "[rack1*1&rack2*2]" } },
        { "[rack1*1&rack2*1] -N1", NULL, NULL, { .nodes = 1, .max_nodes = 1, .constraint = "[rack1*1&rack2*1]" } },
        { "[rack1*1&rack2*1] -N4",
          NULL,
          "n1:1/1 n2:1/1 n3:1/1 n4:1/1",
          { .nodes = 4, .constraint = "[rack1*1&rack2*1]" } },
        { "one set takes what the next needs",
          NULL,
          "n1:1/1 n3:1/1",
          { .nodes = 2, .constraint = "[intel*1&fast*1]" } },
        { "rack1*3", NULL, NULL, { .nodes = 3, .constraint = "rack1*3" } },
        { "rack2*2 is not free", "n4", "-", { .nodes = 3, .constraint = "[rack1*1&rack2*2]" } },
        { "nosuch", NULL, NULL, { .nodes = 1, .constraint = "nosuch" } },
        { "--prefer gpu", NULL, "n4:1/1", { .nodes = 1, .prefer = "gpu" } },
        { "--prefer gpu -C intel", NULL, "n4:1/1", { .nodes = 1, .prefer = "gpu", .constraint = "intel" } },
        { "--prefer gpu, busy", "n4", "n1:1/1", { .nodes = 1, .prefer = "gpu" } },
        { "--prefer gpu -C amd, busy", "n4", "n2:1/1", { .nodes = 1, .prefer = "gpu", .constraint = "amd" } },
        { "--prefer gpu -N2", NULL, NULL, { .nodes = 2, .prefer = "gpu" } },
        { "--prefer nosuch", NULL, NULL, { .nodes = 1, .prefer = "nosuch" } },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        struct err err = ERR_INIT;
        up(&r);
        if (cases[i].busy)
            rig_submit(&r, (struct rig_job){ .nodelist = cases[i].busy, .exclusive = true });
        rig_plan(&r);
        uint32_t id = rig_submit(&r, cases[i].job);
        bool refused = sched_feasible(r.s, r.c, cluster_job(r.c, id), &err) != 0;
        rig_plan(&r);
        if (cases[i].want)
            is_str(refused ? "refused" : rig_where(&r, id), cases[i].want, "%s", cases[i].name);
        else
            ok(refused, "%s is refused: %s", cases[i].name, err.text);
        rig_down(&r);
    }
}

static void test_slips(void)
{
    struct rig r;
    struct err err = ERR_INIT;
    up(&r);
    uint32_t id = rig_submit(&r, (struct rig_job){ .nodes = 1, .constraint = "intell" });
    sched_feasible(r.s, r.c, cluster_job(r.c, id), &err);
    is_str(err.text, "no node has the feature intell; did you mean intel?", "a slip of the pen is seen");
    id = rig_submit(&r, (struct rig_job){ .nodes = 1, .constraint = "quantum" });
    sched_feasible(r.s, r.c, cluster_job(r.c, id), &err);
    is_str(err.text, "no node has the feature quantum", "what is like nothing is left alone");
    rig_down(&r);
}

/* Which nodes of a set are taken depends on the tasks: small nodes if they are sufficient, large ones if not. */
static void test_counted_tasks(void)
{
    struct rig r;
    up(&r);
    rig_submit(&r, (struct rig_job){ .nodelist = "n1", .ntasks = 7 });
    rig_plan(&r);
    uint32_t id = rig_submit(
        &r, (struct rig_job){ .nodes = 2, .max_nodes = 2, .ntasks = 16, .constraint = "[rack1*1&rack2*1]" });
    rig_plan(&r);
    is_str(rig_where(&r, id), "n2:8/8 n3:8/8", "a node that cannot hold the job is not insisted on");
    rig_down(&r);
}

/* ---- licences ---- */

static void test_licenses(void)
{
    struct rig r;
    up(&r);
    uint32_t a = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "matlab:3", .limit_min = 10 });
    uint32_t b = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "matlab:2", .limit_min = 10 });
    uint32_t c = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "matlab:1", .limit_min = 5 });
    uint32_t d = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "matlab:1", .limit_min = 60 });
    rig_plan(&r);
    is_str(rig_where(&r, a), "n1:1/1", "the first has its licences");
    is_str(rig_why(&r, b), "Licenses", "the second waits for them");
    is_str(rig_where(&r, c), "n1:1/1", "a job that ends before they are returned may have the rest");
    is_str(rig_why(&r, d), "Licenses", "then there are none");
    int64_t when = sched_estimate(r.s, r.c, cluster_job(r.c, b), r.now_s, NULL);
    ok(when == r.now_s + 600, "it is expected when the first ends");
    struct why_text why;
    sched_explain(r.s, r.c, cluster_job(r.c, b), r.now_s, &why);
    ok(strstr(why.sentence, "needs 2 of licence matlab; 0 of 4 matlab are free, job"), "why: %s", why.sentence);
    why_text_clear(&why);
    uint32_t e = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "ansys:2|matlab:1|one" });
    uint32_t f = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "ansys:2|matlab:1|one" });
    uint32_t g = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = "ansys:2|one" });
    rig_plan(&r);
    is_str(cluster_job(r.c, e)->licenses.at[0].name, "ansys", "of several the first that is free");
    is_str(cluster_job(r.c, f)->licenses.at[0].name, "one", "or another one");
    is_str(rig_why(&r, g), "Licenses", "or none");
    rig_end(&r, a);
    rig_plan(&r);
    is_str(rig_where(&r, b), "n1:1/1", "what was given back is given on");
    rig_suspend(&r, b, false, false);
    ok(r.c->licenses.at[license_find(r.c, "matlab")].used == 4, "a suspended job keeps its licences");
    auto_buf struct buf bytes = BUF_INIT, again = BUF_INIT;
    struct cluster *copy = NULL;
    cluster_encode(r.c, &bytes);
    ok(!cluster_decode(&copy, bytes.s, bytes.len, NULL), "the state is read back");
    cluster_encode(copy, &again);
    ok(bytes.len == again.len && !memcmp(bytes.s, again.s, bytes.len), "and is the same");
    for (size_t i = 0; i < copy->licenses.n; i++)
        ok(copy->licenses.at[i].used == r.c->licenses.at[i].used, "as many of %s are in use",
           copy->licenses.at[i].name);
    cluster_free(copy);
    rig_down(&r);
}

static void test_refused(void)
{
    static const char *const bad[] = { "nosuch", "matlab:5", "matlab:2,matlab:3", "matlab,nosuch", "matlab|nosuch" };
    struct rig r;
    up(&r);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 1, .licenses = bad[i] });
        ok(sched_feasible(r.s, r.c, cluster_job(r.c, id), &err) != 0, "%s is refused: %s", bad[i], err.text);
    }
    rig_down(&r);
}

/* ---- core specialisation ---- */

static const char *cores_of(const struct rig *r, uint32_t id)
{
    static char text[64];
    size_t n = 0;
    const struct job *j = cluster_job(r->c, id);
    text[0] = '\0';
    if (job_base(j) != JOB_RUNNING)
        return "-";
    bitmap_each (&j->alloc.at[0].cores, i)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%zu", i);
    return text;
}

static void test_spec(void)
{
    static const struct {
        const char *name, *node, *cores;
        uint32_t spec, ntasks, cpus;
        uint64_t mem_mb;
    } cases[] = {
        { "-S 1", "n1", "0123456", WITHOUT(1), 0, 7, 700 },
        { "-S 2 -n4", "n1", "012456", WITHOUT(2), 4, 6, 600 },
        { "--thread-spec=2", "n1", "012456", WITHOUT(2) | REQ_CORE_SPEC_THREADS, 0, 6, 600 },
        { "-S 0 where two are kept", "n2", "01234567", WITHOUT(0), 0, 8, 800 },
        { "-S 4 where two are kept", "n2", "0145", WITHOUT(4), 0, 4, 400 },
        { "-S 1 where two are kept", "n2", "0124567", WITHOUT(1), 0, 7, 700 },
        { "-S 7", "n1", "0", WITHOUT(7), 0, 1, 100 },
        { "nothing said", "n2", "012456", 0, 6, 6, 600 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        static const struct rig_node nodes[] = {
            { .name = "n1", .sockets = 2, .cores = 4, .threads = 1, .mem_mb = 4000, .weight = 1 },
            { .name = "n2", .sockets = 2, .cores = 4, .threads = 1, .mem_mb = 4000, .weight = 1, .core_spec = 2 },
        };
        Pb__Part part = PB__PART__INIT, *parts[] = { &part };
        part.name = (char[]){ "main" }, part.nodes = (char[]){ "n[1-2]" }, part.priority_tier = 1;
        struct rig r;
        rig_up(&r, nodes, ARRAY_LEN(nodes), parts, 1);
        uint32_t id = rig_submit(
            &r, (struct rig_job){
                    .nodelist = cases[i].node, .core_spec = cases[i].spec, .ntasks = cases[i].ntasks, .mem_cpu = 100 });
        rig_plan(&r);
        is_str(cores_of(&r, id), cases[i].cores, "%s: cores", cases[i].name);
        const struct job *j = cluster_job(r.c, id);
        ok(j->alloc.n == 1 && j->alloc.at[0].cpus == cases[i].cpus && j->alloc.at[0].mem_mb == cases[i].mem_mb,
           "%s: it has %u CPUs and %lu MB", cases[i].name, cases[i].cpus, (unsigned long)cases[i].mem_mb);
        uint32_t other = rig_submit(&r, (struct rig_job){ .nodelist = cases[i].node, .ntasks = 1 });
        rig_plan(&r);
        is_str(rig_where(&r, other), "-", "%s: no other job fits", cases[i].name);
        uint32_t all = rig_submit(&r, (struct rig_job){ .nodelist = "n1", .core_spec = WITHOUT(8) });
        ok(sched_feasible(r.s, r.c, cluster_job(r.c, all), NULL) != 0, "to leave all is refused");
        rig_down(&r);
    }
}

int main(void)
{
    test_features();
    test_slips();
    test_counted_tasks();
    test_licenses();
    test_refused();
    test_spec();
    return test_done();
}
