/* step_usage - the field table of sstat; see step_usage.h. */
#include "show/step_usage.h"

#include "show/step.h"
#include "text/size.h"
#include "text/time.h"
#include "text/tres.h"

#define ROW(p) ((const struct step_usage_row *)(p))
#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)

#define METRIC(f) USAGE_METRIC(f)
#define PART(f) USAGE_PART(f)
#define PART_OF(metric, part) USAGE_OF(METRIC_##metric, PART_##part)

static const Pb__Metric *metric_of(const Pb__StepUsage *u, enum step_metric which)
{
    static const Pb__Metric none = PB__METRIC__INIT;
    static const size_t at[METRIC_METRICS] = {
        [METRIC_CPU] = offsetof(Pb__StepUsage, cpu_ms),      [METRIC_RSS] = offsetof(Pb__StepUsage, rss_kb),
        [METRIC_VM] = offsetof(Pb__StepUsage, vm_kb),        [METRIC_PAGES] = offsetof(Pb__StepUsage, pages),
        [METRIC_READ] = offsetof(Pb__StepUsage, read_bytes), [METRIC_WRITE] = offsetof(Pb__StepUsage, write_bytes),
    };
    const Pb__Metric *m = u ? *(Pb__Metric *const *)((const char *)u + at[which]) : NULL;
    return m ? m : &none;
}

uint64_t step_usage_part(const struct step_usage_row *r, enum step_metric which, enum step_part p)
{
    const Pb__Metric *m = metric_of(r->usage, which);
    uint32_t n = r->usage && r->usage->ntasks ? r->usage->ntasks : 1;
    switch (p) {
    case PART_AVE: return m->total / n;
    case PART_MAXIMUM: return m->max;
    case PART_MAX_NODE: return m->max_node;
    case PART_MAX_TASK: return m->max_task;
    case PART_MINIMUM: return m->min;
    case PART_MIN_NODE: return m->min_node;
    case PART_MIN_TASK: return m->min_task;
    case PART_TOTAL: return m->total;
    }
    return 0;
}

const char *step_usage_node(const struct step_usage_row *r, enum step_metric which, enum step_part p)
{
    uint64_t node = step_usage_part(r, which, p);
    return node < r->nnames ? r->names[node] : "";
}

/* In seconds, bytes or pieces. */
int64_t step_usage_amount(const struct step_usage_row *r, enum step_metric which, enum step_part p)
{
    uint64_t n = step_usage_part(r, which, p);
    return (int64_t)(which == METRIC_CPU ? n / 1000 : which == METRIC_RSS || which == METRIC_VM ? n * 1024 : n);
}

GET(get_amount) { show_set_number(v, step_usage_amount(ROW(row), METRIC(f), PART(f))); }
GET(get_node) { show_set_text(v, step_usage_node(ROW(row), METRIC(f), PART(f))); }
GET(get_task) { show_set_number(v, (int64_t)step_usage_part(ROW(row), METRIC(f), PART(f))); }
GET(get_zero) { show_set_number(v, 0); }
GET(get_ntasks) { show_set_number(v, ROW(row)->usage ? ROW(row)->usage->ntasks : 0); }
GET(get_nodes) { show_set_text(v, ROW(row)->nodes); }
GET(get_pids) { show_set_text(v, ROW(row)->pids); }
GET(get_freq) { show_set_text(v, ROW(row)->record ? "Unknown" : "0"); } /* --cpu-freq is refused */

GET(get_id)
{
    buf_addf(show_make(v), "%u.", ROW(row)->job);
    step_put_number(v->scratch, ROW(row)->step);
}

GET(get_tres)
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
    buf_adds(show_make(v), text);
}

/* ---- several metrics in one field: "cpu=00:00:01,energy=0,..." ---- */

enum { NOT_THERE = -1, ALWAYS_ZERO = -2 };
static const struct usage_tres {
    const char *name;
    int in, out; /* metric */
} usage_tres[] = {
    { "cpu", METRIC_CPU, NOT_THERE },     { "energy", ALWAYS_ZERO, ALWAYS_ZERO },
    { "fs/disk", METRIC_READ, METRIC_WRITE }, { "mem", METRIC_RSS, NOT_THERE },
    { "pages", METRIC_PAGES, NOT_THERE }, { "vmem", METRIC_VM, NOT_THERE },
};

bool step_usage_tres(bool went_out, size_t i, const char **name, int *metric)
{
    for (size_t k = 0; k < ARRAY_LEN(usage_tres); k++) {
        *name = usage_tres[k].name;
        *metric = went_out ? usage_tres[k].out : usage_tres[k].in;
        if (*metric != NOT_THERE && !i--)
            return true;
    }
    return false;
}

static void add_amount(struct buf *out, const struct step_usage_row *r, enum step_metric which, enum step_part p)
{
    char text[MAX(SIZE_TEXT, TIME_TEXT)];
    int64_t n = step_usage_amount(r, which, p);
    if (which == METRIC_CPU)
        buf_adds(out, time_secs_text(text, (uint64_t)n));
    else if (which == METRIC_PAGES || (r->exact && !r->unit))
        buf_addf(out, "%lld", (long long)n);
    else if (r->unit)
        buf_adds(out, size_in_unit(text, (uint64_t)n, r->unit));
    else
        buf_adds(out, size_count_text(text, (uint64_t)n));
}

static void add_usage(struct buf *out, const struct step_usage_row *r, int which, enum step_part p)
{
    bool node = p == PART_MAX_NODE || p == PART_MIN_NODE, task = p == PART_MAX_TASK || p == PART_MIN_TASK;
    if (node)
        buf_adds(out, which < 0 ? (r->nnames ? r->names[0] : "") : step_usage_node(r, (enum step_metric)which, p));
    else if (which < 0)
        buf_addc(out, '0');
    else if (task)
        buf_addf(out, "%llu", (unsigned long long)step_usage_part(r, (enum step_metric)which, p));
    else
        add_amount(out, r, (enum step_metric)which, p);
}

void step_usage_put_tres(struct buf *out, const struct step_usage_row *r, bool went_out, enum step_part p)
{
    const char *sep = "";
    for (size_t i = 0; i < ARRAY_LEN(usage_tres); i++) {
        int which = went_out ? usage_tres[i].out : usage_tres[i].in;
        bool task = p == PART_MAX_TASK || p == PART_MIN_TASK;
        if (which == NOT_THERE || (which == ALWAYS_ZERO && task))
            continue;
        buf_addf(out, "%s%s=", sep, usage_tres[i].name);
        sep = ",";
        add_usage(out, r, which, p);
    }
}

/* METRIC(f): 0 what came in, 1 what went out. */
GET(get_usage) { step_usage_put_tres(show_make(v), ROW(row), METRIC(f), PART(f)); }

/* clang-format off */
#define FIELD(name, width_, type, get, ...) { name, 0, NULL, NULL, NULL, type, get, .width = width_, ##__VA_ARGS__ }
static const struct show_field usage_fields[] = {
    FIELD("AllocTRES",           10, SHOW_TEXT,    get_tres),
    FIELD("AveCPU",              10, SHOW_SECONDS, get_amount, PART_OF(CPU, AVE)),
    FIELD("AveCPUFreq",          10, SHOW_NUMBER,  get_zero),
    FIELD("AveDiskRead",         12, SHOW_BYTES,   get_amount, PART_OF(READ, AVE)),
    FIELD("AveDiskWrite",        12, SHOW_BYTES,   get_amount, PART_OF(WRITE, AVE)),
    FIELD("AvePages",            10, SHOW_NUMBER,  get_amount, PART_OF(PAGES, AVE)),
    FIELD("AveRSS",              10, SHOW_BYTES,   get_amount, PART_OF(RSS, AVE)),
    FIELD("AveVMSize",           10, SHOW_BYTES,   get_amount, PART_OF(VM, AVE)),
    FIELD("ConsumedEnergy",      14, SHOW_NUMBER,  get_zero),
    FIELD("ConsumedEnergyRaw",   17, SHOW_NUMBER,  get_zero),
    FIELD("JobID",              -12, SHOW_TEXT,    get_id),
    FIELD("MaxDiskRead",         12, SHOW_BYTES,   get_amount, PART_OF(READ, MAXIMUM)),
    FIELD("MaxDiskReadNode",     15, SHOW_TEXT,    get_node,   PART_OF(READ, MAX_NODE)),
    FIELD("MaxDiskReadTask",     15, SHOW_NUMBER,  get_task,   PART_OF(READ, MAX_TASK)),
    FIELD("MaxDiskWrite",        12, SHOW_BYTES,   get_amount, PART_OF(WRITE, MAXIMUM)),
    FIELD("MaxDiskWriteNode",    16, SHOW_TEXT,    get_node,   PART_OF(WRITE, MAX_NODE)),
    FIELD("MaxDiskWriteTask",    16, SHOW_NUMBER,  get_task,   PART_OF(WRITE, MAX_TASK)),
    FIELD("MaxPages",             8, SHOW_NUMBER,  get_amount, PART_OF(PAGES, MAXIMUM)),
    FIELD("MaxPagesNode",        12, SHOW_TEXT,    get_node,   PART_OF(PAGES, MAX_NODE)),
    FIELD("MaxPagesTask",        14, SHOW_NUMBER,  get_task,   PART_OF(PAGES, MAX_TASK)),
    FIELD("MaxRSS",              10, SHOW_BYTES,   get_amount, PART_OF(RSS, MAXIMUM)),
    FIELD("MaxRSSNode",          10, SHOW_TEXT,    get_node,   PART_OF(RSS, MAX_NODE)),
    FIELD("MaxRSSTask",          10, SHOW_NUMBER,  get_task,   PART_OF(RSS, MAX_TASK)),
    FIELD("MaxVMSize",           10, SHOW_BYTES,   get_amount, PART_OF(VM, MAXIMUM)),
    FIELD("MaxVMSizeNode",       14, SHOW_TEXT,    get_node,   PART_OF(VM, MAX_NODE)),
    FIELD("MaxVMSizeTask",       14, SHOW_NUMBER,  get_task,   PART_OF(VM, MAX_TASK)),
    FIELD("MinCPU",              10, SHOW_SECONDS, get_amount, PART_OF(CPU, MINIMUM)),
    FIELD("MinCPUNode",          10, SHOW_TEXT,    get_node,   PART_OF(CPU, MIN_NODE)),
    FIELD("MinCPUTask",          10, SHOW_NUMBER,  get_task,   PART_OF(CPU, MIN_TASK)),
    FIELD("Nodelist",            20, SHOW_TEXT,    get_nodes),
    FIELD("NTasks",               8, SHOW_NUMBER,  get_ntasks),
    FIELD("Pids",                20, SHOW_TEXT,    get_pids),
    FIELD("ReqCPUFreq",          10, SHOW_TEXT,    get_freq),
    FIELD("ReqCPUFreqMin",       13, SHOW_TEXT,    get_freq),
    FIELD("ReqCPUFreqMax",       13, SHOW_TEXT,    get_freq),
    FIELD("ReqCPUFreqGov",       13, SHOW_TEXT,    get_freq),
    FIELD("SLUID",               14, SHOW_TEXT,    show_get_unset),
    FIELD("TRESUsageInAve",      14, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_AVE)),
    FIELD("TRESUsageInMax",      14, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_MAXIMUM)),
    FIELD("TRESUsageInMaxNode",  18, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_MAX_NODE)),
    FIELD("TRESUsageInMaxTask",  18, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_MAX_TASK)),
    FIELD("TRESUsageInMin",      14, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_MINIMUM)),
    FIELD("TRESUsageInMinNode",  18, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_MIN_NODE)),
    FIELD("TRESUsageInMinTask",  18, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_MIN_TASK)),
    FIELD("TRESUsageInTot",      14, SHOW_TEXT,    get_usage,  USAGE_OF(0, PART_TOTAL)),
    FIELD("TRESUsageOutAve",     15, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_AVE)),
    FIELD("TRESUsageOutMax",     15, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_MAXIMUM)),
    FIELD("TRESUsageOutMaxNode", 19, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_MAX_NODE)),
    FIELD("TRESUsageOutMaxTask", 19, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_MAX_TASK)),
    FIELD("TRESUsageOutMin",     15, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_MINIMUM)),
    FIELD("TRESUsageOutMinNode", 19, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_MIN_NODE)),
    FIELD("TRESUsageOutMinTask", 19, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_MIN_TASK)),
    FIELD("TRESUsageOutTot",     15, SHOW_TEXT,    get_usage,  USAGE_OF(1, PART_TOTAL)),
    { 0 },
};
/* clang-format on */
const struct show_table show_step_usage = { "step usage", usage_fields, "", NULL };
