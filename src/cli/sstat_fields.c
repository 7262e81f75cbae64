/* sstat_fields - the fields of sstat: one table, and how each measure is written. */
#include "base/str.h"
#include "cli/sstat.h"
#include "text/size.h"
#include "text/time.h"
#include "text/tres.h"

#define ROW(p) ((const struct sstat_row *)(p))
#define PUT(name) static void name(struct buf *out, const struct column_row *f, const void *row)

/* What of a measure a field shows. */
enum part { AVE, MAX_, MAX_NODE, MAX_TASK, MIN_, MIN_NODE, MIN_TASK, TOTAL };

static const Pb__Metric *metric(const struct sstat_row *r, int which)
{
    static const Pb__Metric none = PB__METRIC__INIT;
    const Pb__Metric *m = usage_metric_of(r->usage, (enum usage_metric)which);
    return m ? m : &none;
}

static uint64_t value_of(const struct sstat_row *r, const Pb__Metric *m, enum part p)
{
    uint32_t n = r->usage && r->usage->ntasks ? r->usage->ntasks : 1;
    switch (p) {
    case AVE: return m->total / n;
    case MAX_: return m->max;
    case MAX_NODE: return m->max_node;
    case MAX_TASK: return m->max_task;
    case MIN_: return m->min;
    case MIN_NODE: return m->min_node;
    case MIN_TASK: return m->min_task;
    case TOTAL: return m->total;
    }
    return 0;
}

static void put_node(struct buf *out, const struct sstat_row *r, uint64_t node)
{
    buf_adds(out, node < r->nnames ? r->names[node] : "");
}

/* Bytes with the largest unit that loses nothing, times as hours, the rest as it is. */
static void put_amount(struct buf *out, const struct sstat_row *r, int which, uint64_t n)
{
    char text[SIZE_TEXT], span[TIME_TEXT];
    if (which == USAGE_CPU_MS)
        buf_adds(out, time_secs_text(span, n / 1000));
    else if (which == USAGE_RSS_KB || which == USAGE_VM_KB)
        n *= 1024;
    if (which != USAGE_CPU_MS && (r->exact || which == USAGE_PAGES))
        buf_addf(out, "%llu", (unsigned long long)n);
    else if (which != USAGE_CPU_MS)
        buf_adds(out, size_count_text(text, n));
}

static void put_part(struct buf *out, const struct sstat_row *r, int which, enum part p)
{
    uint64_t n = value_of(r, metric(r, which), p);
    if (p == MAX_NODE || p == MIN_NODE)
        put_node(out, r, n);
    else if (p == MAX_TASK || p == MIN_TASK)
        buf_addf(out, "%llu", (unsigned long long)n);
    else
        put_amount(out, r, which, n);
}

PUT(put_metric) { put_part(out, ROW(row), f->a, (enum part)f->b); }
PUT(put_nothing) { (void)out; } /* jobs have no such id here */
PUT(put_zero) { buf_adds(out, "0"); }
PUT(put_ntasks) { buf_addf(out, "%u", ROW(row)->usage ? ROW(row)->usage->ntasks : 0); }
PUT(put_nodes) { buf_adds(out, ROW(row)->nodes); }
PUT(put_pids) { buf_adds(out, ROW(row)->pids); }

PUT(put_id)
{
    const struct sstat_row *r = ROW(row);
    static const struct {
        uint32_t step;
        const char *name;
    } words[] = { { PB__STEP_NUMBER__STEP_BATCH, "batch" },
                  { PB__STEP_NUMBER__STEP_EXTERN, "extern" },
                  { PB__STEP_NUMBER__STEP_INTERACTIVE, "interactive" } };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i].step == r->step) {
            buf_addf(out, "%u.%s", r->job, words[i].name);
            return;
        }
    buf_addf(out, "%u.%u", r->job, r->step);
}

PUT(put_tres)
{
    const Pb__Step *s = ROW(row)->record;
    auto_tres struct tres_list list = TRES_INIT;
    for (size_t i = 0; s && i < s->n_alloc; i++) {
        const Pb__NodeAlloc *a = s->alloc[i];
        tres_add(&list, "cpu", a->cpus);
        tres_add(&list, "mem", a->mem_mb);
        tres_add(&list, "node", 1);
        for (size_t g = 0; g < a->n_gres; g++) {
            auto_free char *name = mem_printf("gres/%s", a->gres[g]->name);
            tres_add(&list, name, a->gres[g]->count);
        }
    }
    auto_free char *text = tres_text(&list);
    buf_adds(out, text);
}

/* --cpu-freq is refused, so nothing was asked for. */
PUT(put_asked_freq) { buf_adds(out, ROW(row)->record ? "Unknown" : "0"); }

/* ---- several measures in one field ---- */

static const struct measure {
    const char *name;
    int in, out; /* metric; -1: not among these; -2: always 0 */
} measures[] = {
    { "cpu", USAGE_CPU_MS, -1 },   { "energy", -2, -2 },         { "fs/disk", USAGE_READ, USAGE_WRITE },
    { "mem", USAGE_RSS_KB, -1 },   { "pages", USAGE_PAGES, -1 }, { "vmem", USAGE_VM_KB, -1 },
};

/* a: 0 what came in, 1 what went out; b: the part. */
PUT(put_all)
{
    const char *sep = "";
    for (size_t i = 0; i < ARRAY_LEN(measures); i++) {
        const struct measure *m = &measures[i];
        int which = f->a ? m->out : m->in;
        bool task = f->b == MAX_TASK || f->b == MIN_TASK, node = f->b == MAX_NODE || f->b == MIN_NODE;
        if (which == -1 || (which == -2 && task))
            continue;
        buf_addf(out, "%s%s=", sep, m->name);
        sep = ",";
        if (which == -2 && node)
            put_node(out, ROW(row), 0);
        else if (which == -2)
            buf_adds(out, "0");
        else
            put_part(out, ROW(row), which, (enum part)f->b);
    }
}

/* clang-format off */
const struct column_row sstat_fields[] = {
    { "AllocTRES",           10, put_tres },
    { "AveCPU",              10, put_metric, USAGE_CPU_MS, AVE },
    { "AveCPUFreq",          10, put_zero },
    { "AveDiskRead",         12, put_metric, USAGE_READ, AVE },
    { "AveDiskWrite",        12, put_metric, USAGE_WRITE, AVE },
    { "AvePages",            10, put_metric, USAGE_PAGES, AVE },
    { "AveRSS",              10, put_metric, USAGE_RSS_KB, AVE },
    { "AveVMSize",           10, put_metric, USAGE_VM_KB, AVE },
    { "ConsumedEnergy",      14, put_zero },
    { "ConsumedEnergyRaw",   17, put_zero },
    { "JobID",              -12, put_id },
    { "MaxDiskRead",         12, put_metric, USAGE_READ, MAX_ },
    { "MaxDiskReadNode",     15, put_metric, USAGE_READ, MAX_NODE },
    { "MaxDiskReadTask",     15, put_metric, USAGE_READ, MAX_TASK },
    { "MaxDiskWrite",        12, put_metric, USAGE_WRITE, MAX_ },
    { "MaxDiskWriteNode",    16, put_metric, USAGE_WRITE, MAX_NODE },
    { "MaxDiskWriteTask",    16, put_metric, USAGE_WRITE, MAX_TASK },
    { "MaxPages",             8, put_metric, USAGE_PAGES, MAX_ },
    { "MaxPagesNode",        12, put_metric, USAGE_PAGES, MAX_NODE },
    { "MaxPagesTask",        14, put_metric, USAGE_PAGES, MAX_TASK },
    { "MaxRSS",              10, put_metric, USAGE_RSS_KB, MAX_ },
    { "MaxRSSNode",          10, put_metric, USAGE_RSS_KB, MAX_NODE },
    { "MaxRSSTask",          10, put_metric, USAGE_RSS_KB, MAX_TASK },
    { "MaxVMSize",           10, put_metric, USAGE_VM_KB, MAX_ },
    { "MaxVMSizeNode",       14, put_metric, USAGE_VM_KB, MAX_NODE },
    { "MaxVMSizeTask",       14, put_metric, USAGE_VM_KB, MAX_TASK },
    { "MinCPU",              10, put_metric, USAGE_CPU_MS, MIN_ },
    { "MinCPUNode",          10, put_metric, USAGE_CPU_MS, MIN_NODE },
    { "MinCPUTask",          10, put_metric, USAGE_CPU_MS, MIN_TASK },
    { "Nodelist",            20, put_nodes },
    { "NTasks",               8, put_ntasks },
    { "Pids",                20, put_pids },
    { "ReqCPUFreq",          10, put_asked_freq },
    { "ReqCPUFreqMin",       13, put_asked_freq },
    { "ReqCPUFreqMax",       13, put_asked_freq },
    { "ReqCPUFreqGov",       13, put_asked_freq },
    { "SLUID",               14, put_nothing },
    { "TRESUsageInAve",      14, put_all, 0, AVE },
    { "TRESUsageInMax",      14, put_all, 0, MAX_ },
    { "TRESUsageInMaxNode",  18, put_all, 0, MAX_NODE },
    { "TRESUsageInMaxTask",  18, put_all, 0, MAX_TASK },
    { "TRESUsageInMin",      14, put_all, 0, MIN_ },
    { "TRESUsageInMinNode",  18, put_all, 0, MIN_NODE },
    { "TRESUsageInMinTask",  18, put_all, 0, MIN_TASK },
    { "TRESUsageInTot",      14, put_all, 0, TOTAL },
    { "TRESUsageOutAve",     15, put_all, 1, AVE },
    { "TRESUsageOutMax",     15, put_all, 1, MAX_ },
    { "TRESUsageOutMaxNode", 19, put_all, 1, MAX_NODE },
    { "TRESUsageOutMaxTask", 19, put_all, 1, MAX_TASK },
    { "TRESUsageOutMin",     15, put_all, 1, MIN_ },
    { "TRESUsageOutMinNode", 19, put_all, 1, MIN_NODE },
    { "TRESUsageOutMinTask", 19, put_all, 1, MIN_TASK },
    { "TRESUsageOutTot",     15, put_all, 1, TOTAL },
    { 0 },
};
/* clang-format on */
