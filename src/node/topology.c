/* topology - what supervisors need to bind tasks; see topology.h. */
#include "node/topology.h"

#include "base/log.h"
#include "base/str.h"
#include "node/hw.h"
#include "node/isolate.h"
#include "text/gres_conf.h"
#include "text/strs.h"

char *topology_text(const struct agent *a)
{
    const struct hw *hw = hw_find();
    const struct site_node *d = a->def;
#define PICK(field) (d && d->field ? d->field : hw->field)
    uint32_t boards = PICK(boards), sockets = PICK(sockets), cores = PICK(cores), threads = PICK(threads);
#undef PICK
    return mem_printf("%u:%u:%u:%u %s", boards, sockets, cores, threads, hw_pus());
}

/* Is "task/affinity" or "affinity" among the plugins? */
static bool has_affinity(const char *plugins)
{
    return str_in_list(str_or(plugins, ""), "task/affinity") || str_in_list(str_or(plugins, ""), "affinity");
}

static void add_params(struct buf *out, const char *params)
{
    static const char *const units[] = { "none", "sockets", "cores", "threads" };
    auto_strs struct strs words = STRS_INIT;
    strs_split(&words, str_or(params, ""), ",");
    for (size_t i = 0; i < words.n; i++) {
        if (str_ieq(words.at[i], "verbose"))
            buf_adds(out, " verbose");
        else if (str_has_iprefix(words.at[i], "autobind="))
            buf_addf(out, " auto=%s", words.at[i] + strlen("autobind="));
        for (size_t k = 0; k < ARRAY_LEN(units); k++)
            if (str_ieq(words.at[i], units[k]))
                buf_addf(out, " unit=%s", units[k]);
    }
}

char *topology_bind(const struct agent *a)
{
    const struct site *s = a->site;
    auto_buf struct buf out = BUF_INIT;
    if (has_affinity(s->task_plugin))
        buf_adds(&out, "affinity");
    if (isolate_own_devices(a))
        buf_adds(&out, " devices");
    if (!s->training_env)
        buf_adds(&out, " notraining");
    if (str_has_iprefix(s->select_type_parameters, "CR_CPU"))
        buf_adds(&out, " cpus");
    if (site_param(str_or(s->select_type_parameters, ""), "CR_CORE_DEFAULT_DIST_BLOCK"))
        buf_adds(&out, " block");
    add_params(&out, site_value(s, "TaskPluginParam"));
    if (a->def && !str_empty(a->def->cpu_bind))
        buf_addf(&out, " node=%s", a->def->cpu_bind);
    for (size_t i = 0; i < s->nparts; i++)
        if (!str_empty(s->part[i].cpu_bind))
            buf_addf(&out, " part.%s=%s", s->part[i].name, s->part[i].cpu_bind);
    const struct hw *hw = hw_find();
    if (has_affinity(s->task_plugin) && a->def && a->def->cpus > hw->cpus)
        log_info("the configuration has more CPUs than this machine: tasks on those are not bound cpus=%u of=%u",
                 hw->cpus, a->def->cpus);
    return buf_take(&out);
}

/* ---- GPUs ---- */

/* The variables with GPU lists that processes get: by Flags, else by AutoDetect, else all. */
static void add_lists(const struct gres_conf *g, struct buf *out)
{
    /* clang-format off */
    static const struct { const char *flag, *detect, *word; } rows[] = {
        { "nvidia_gpu_env", "nvml", "cuda" }, { "nvidia_gpu_env", "nvidia", "cuda" }, { "amd_gpu_env", "rsmi", "rocr" },
        { "intel_gpu_env", "oneapi", "ze" }, { "opencl_env", "-", "opencl" }, { "no_gpu_env", "-", "none" }, };
    /* clang-format on */
    for (size_t i = 0; i < g->device.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(rows); k++)
            if (str_eq(g->device.at[i].name, "gpu") && site_param(g->device.at[i].flags, rows[k].flag))
                buf_addf(out, "%s%s", out->len ? "," : "", rows[k].word);
    for (size_t k = 0; !out->len && g->auto_detect && k < ARRAY_LEN(rows); k++)
        if (str_ieq(g->auto_detect, rows[k].detect))
            buf_adds(out, rows[k].word);
    if (!out->len)
        buf_adds(out, "all");
}

char *topology_gpus(const struct agent *a)
{
    auto_gres_conf struct gres_conf g = { 0 };
    auto_buf struct buf out = BUF_INIT;
    const char *slash = a->conf ? strrchr(a->conf, '/') : NULL;
    auto_free char *dir = slash ? mem_strn(a->conf, (size_t)(slash - a->conf)) : NULL;
    if (gres_conf_load(&g, dir, a->name, NULL)) /* the error was reported at the agent's start */
        return mem_str("all");
    add_lists(&g, &out);
    bool known = false;
    for (size_t i = 0; i < g.device.n; i++)
        known |= str_eq(g.device.at[i].name, "gpu") && !str_empty(g.device.at[i].cores);
    for (size_t i = 0; known && i < g.device.n; i++)
        if (str_eq(g.device.at[i].name, "gpu"))
            buf_addf(&out, " %s", str_or(g.device.at[i].cores, "-"));
    return buf_take(&out);
}
