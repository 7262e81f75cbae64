/* cgroup.conf, job_container.conf and gres.conf from hostile hands. */
#include "fuzz.h"

#include "text/gres_conf.h"
#include "text/site_cgroup.h"

static void forget(void *arg, const char *key, const char *file, uint32_t line)
{
    check(key && file && line);
    ++*(size_t *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    const char *text = (const char *)data;
    struct err err[3] = { ERR_INIT, ERR_INIT, ERR_INIT };
    auto_cgroup_conf struct cgroup_conf c;
    size_t unused = 0;
    int rc = cgroup_conf_parse(&c, text, n, &err[0]);
    check(!rc == !err[0].text[0]);
    if (!rc) {
        check(c.plugin && c.mount && c.allowed_ram >= 0 && c.max_ram >= 0);
        cgroup_conf_unused(&c, forget, &unused);
    }
    auto_container_conf struct container_conf t;
    rc = container_conf_parse(&t, text, n, "n1", &err[1]);
    check(!rc == !err[1].text[0] && (rc || t.dirs));
    auto_gres_conf struct gres_conf g;
    rc = gres_conf_parse(&g, text, n, "n1", &err[2]);
    check(!rc == !err[2].text[0]);
    for (size_t i = 0; !rc && i < g.device.n; i++)
        check(g.device.at[i].name && g.device.at[i].type && g.device.at[i].file);
    return 0;
}
