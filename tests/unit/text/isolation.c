/* cgroup.conf, job_container.conf, gres.conf: values, defaults, and mistakes told with their place. */
#include <string.h>

#include "base/str.h"
#include "test.h"
#include "text/gres_conf.h"
#include "text/site_cgroup.h"

static int cgroup(struct cgroup_conf *c, const char *text, struct err *err)
{
    *err = (struct err)ERR_INIT;
    return cgroup_conf_parse(c, text, strlen(text), err);
}

static void count(void *arg, const char *key, const char *file, uint32_t line)
{
    ok(str_eq(key, "CgroupSlice") && str_eq(file, "cgroup.conf") && line == 4, "an unused key is told with its place");
    ++*(int *)arg;
}

static void test_cgroup(void)
{
    struct err err;
    auto_cgroup_conf struct cgroup_conf empty, full, bad;
    ok(!cgroup(&empty, "", &err), "an empty file is fine");
    ok(!empty.ram && !empty.cores && !empty.devices && !empty.swap, "nothing is constrained unless said");
    ok(empty.allowed_ram == 100 && empty.allowed_swap == 0 && empty.min_ram_mb == 30, "Slurm's defaults");
    ok(str_eq(empty.plugin, "autodetect") && str_eq(empty.mount, "/sys/fs/cgroup"), "where cgroups are");
    ok(!cgroup(&full, "constrainramspace=YES\nAllowedRAMSpace=101.5\nSpurMaxProcesses=64\nCgroupSlice=x.slice\n"
                      "CgroupPlugin=CGROUP/V2\n",
               &err),
       "keys in any case");
    ok(full.ram && full.allowed_ram == 101.5 && full.max_processes == 64, "their values");
    ok(str_eq(full.plugin, "cgroup/v2"), "words in the table's spelling");
    int unused = 0;
    cgroup_conf_unused(&full, count, &unused);
    ok(unused == 1, "one key has no effect");
    static const struct {
        const char *text, *says;
    } wrong[] = {
        { "ConstrainRAM=yes\n", "cgroup.conf:1: unknown key ConstrainRAM" },
        { "\nAllowedRAMSpace=lots\n", "AllowedRAMSpace=lots: not a percentage" },
        { "CgroupPlugin=cgroup/v3\n", "cgroup.conf:1: " },
        { "MemorySwappiness=101\n", "MemorySwappiness=101" },
        { "ConstrainCores=perhaps\n", "cgroup.conf:1: " },
    };
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        ok(cgroup(&bad, wrong[i].text, &err) && strstr(err.text, wrong[i].says), "%s", wrong[i].says);
        cgroup_conf_clear(&bad);
    }
}

static int container(struct container_conf *c, const char *text, const char *node, struct err *err)
{
    *err = (struct err)ERR_INIT;
    return container_conf_parse(c, text, strlen(text), node, err);
}

static void test_container(void)
{
    static const char text[] = "AutoBasePath=true\nBasePath=/var/a\n"
                               "NodeName=n[1-2] BasePath=/var/b Dirs=/tmp,/var/tmp\nNodeName=n3 BasePath=none\n";
    struct err err;
    auto_container_conf struct container_conf n1, n3, n9, bad;
    ok(!container(&n1, text, "n1", &err) && str_eq(n1.base, "/var/b") && str_eq(n1.dirs, "/tmp,/var/tmp"),
       "a line that names the node wins");
    ok(n1.auto_base, "what is said for all holds for it, too");
    ok(!container(&n3, text, "n3", &err) && str_eq(n3.base, "none"), "a node may have none");
    ok(!container(&n9, text, "n9", &err) && str_eq(n9.base, "/var/a") && str_eq(n9.dirs, "/tmp,/dev/shm"),
       "the others get the common one");
    ok(container(&bad, "BasePath=tmp\n", "n1", &err) && strstr(err.text, "not a full path"), "a relative path");
    container_conf_clear(&bad);
    ok(container(&bad, "BasePath=/tmp\n", "n1", &err) && strstr(err.text, "is the BasePath"), "Dirs hold the base");
    container_conf_clear(&bad);
    ok(container(&bad, "NodeName=n[1 BasePath=/x\n", "n1", &err) && strstr(err.text, "job_container.conf:1"),
       "a bad list is told with its place");
}

static void test_gres(void)
{
    static const char text[] = "NodeName=n1 Name=gpu Type=a File=/dev/fake[0-1] Cores=0\n"
                               "Name=gpu Type=b File=/dev/other0\nNodeName=n2 Name=gpu File=/dev/far\n"
                               "Name=tape Count=2\n";
    struct err err = ERR_INIT;
    auto_gres_conf struct gres_conf g, bad;
    ok(!gres_conf_parse(&g, text, strlen(text), "n1", &err), "a gres.conf");
    ok(g.device.n == 5, "this node's devices");
    ok(str_eq(gres_conf_device(&g, "gpu", "a", 1)->file, "/dev/fake1"), "by type");
    ok(str_eq(gres_conf_device(&g, "gpu", "", 2)->file, "/dev/other0"), "of any type");
    ok(str_eq(gres_conf_device(&g, "gpu", "b", 0)->file, "/dev/other0"), "the other type");
    ok(!gres_conf_device(&g, "gpu", NULL, 3), "no more than there are");
    ok(str_empty(gres_conf_device(&g, "tape", NULL, 1)->file), "some have no file");
    ok(gres_conf_parse(&bad, "Nmae=gpu\n", 9, "n1", &err) && strstr(err.text, "gres.conf:1: unknown key Nmae"),
       "a mistake with its place");
}

int main(void)
{
    test_cgroup();
    test_container();
    test_gres();
    return test_done();
}
