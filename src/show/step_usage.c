/* step_usage - the field table of sstat; see step_usage.h. */
#include "show/step_usage.h"

#include "show/step.h"
#include "text/size.h"
#include "text/time.h"
#include "text/tres.h"

#define ROW(p) ((const struct step_usage_row *)(p))
#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)

/* A field is a part of a metric: `at` holds both. */
enum metric { CPU, RSS, VM, PAGES, READ, WRITE, METRICS };
enum part { AVE, MAXIMUM, MAX_NODE, MAX_TASK, MINIMUM, MIN_NODE, MIN_TASK, TOTAL };
#define PART_OF(metric, part) .at = (metric) * 16 + (part)
#define METRIC(f) ((enum metric)((f)->at / 16))
#define PART(f) ((enum part)((f)->at % 16))

static const Pb__Metric *metric_of(const Pb__StepUsage *u, enum metric which)
{
    static const Pb__Metric none = PB__METRIC__INIT;
    static const size_t at[METRICS] = {
        [CPU] = offsetof(Pb__StepUsage, cpu_ms),      [RSS] = offsetof(Pb__StepUsage, rss_kb),
        [VM] = offsetof(Pb__StepUsage, vm_kb),        [PAGES] = offsetof(Pb__StepUsage, pages),
        [READ] = offsetof(Pb__StepUsage, read_bytes), [WRITE] = offsetof(Pb__StepUsage, write_bytes),
    };
    const Pb__Metric *m = u ? *(Pb__Metric *const *)((const char *)u + at[which]) : NULL;
    return m ? m : &none;
}

static uint64_t part_of(const struct step_usage_row *r, enum metric which, enum part p)
{
    const Pb__Metric *m = metric_of(r->usage, which);
    uint32_t n = r->usage && r->usage->ntasks ? r->usage->ntasks : 1;
    switch (p) {
    case AVE: return m->total / n;
    case MAXIMUM: return m->max;
    case MAX_NODE: return m->max_node;
    case MAX_TASK: return m->max_task;
    case MINIMUM: return m->min;
    case MIN_NODE: return m->min_node;
    case MIN_TASK: return m->min_task;
    case TOTAL: return m->total;
    }
    return 0;
}

static const char *node_name(const struct step_usage_row *r, uint64_t node)
{
    return node < r->nnames ? r->names[node] : "";
}

/* In seconds, bytes or pieces. */
static int64_t amount_of(const struct step_usage_row *r, enum metric which, enum part p)
{
    uint64_t n = part_of(r, which, p);
    return (int64_t)(which == CPU ? n / 1000 : which == RSS || which == VM ? n * 1024 : n);
}

GET(get_amount) { show_set_number(v, amount_of(ROW(row), METRIC(f), PART(f))); }
GET(get_node) { show_set_text(v, node_name(ROW(row), part_of(ROW(row), METRIC(f), PART(f)))); }
GET(get_task) { show_set_number(v, (int64_t)part_of(ROW(row), METRIC(f), PART(f))); }
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
    { "cpu", CPU, NOT_THERE }, { "energy", ALWAYS_ZERO, ALWAYS_ZERO }, { "fs/disk", READ, WRITE },
    { "mem", RSS, NOT_THERE }, { "pages", PAGES, NOT_THERE },          { "vmem", VM, NOT_THERE },
};

static void add_amount(struct buf *out, const struct step_usage_row *r, enum metric which, enum part p)
{
    char text[MAX(SIZE_TEXT, TIME_TEXT)];
    int64_t n = amount_of(r, which, p);
    if (which == CPU)
        buf_adds(out, time_secs_text(text, (uint64_t)n));
    else if (which == PAGES || r->exact)
        buf_addf(out, "%lld", (long long)n);
    else
        buf_adds(out, size_count_text(text, (uint64_t)n));
}

static void add_usage(struct buf *out, const struct step_usage_row *r, int which, enum part p)
{
    bool node = p == MAX_NODE || p == MIN_NODE, task = p == MAX_TASK || p == MIN_TASK;
    if (node)
        buf_adds(out, node_name(r, which < 0 ? 0 : part_of(r, (enum metric)which, p)));
    else if (which < 0)
        buf_addc(out, '0');
    else if (task)
        buf_addf(out, "%llu", (unsigned long long)part_of(r, (enum metric)which, p));
    else
        add_amount(out, r, (enum metric)which, p);
}

/* METRIC(f): 0 what came in, 1 what went out. */
GET(get_usage)
{
    struct buf *out = show_make(v);
    const char *sep = "";
    for (size_t i = 0; i < ARRAY_LEN(usage_tres); i++) {
        int which = METRIC(f) ? usage_tres[i].out : usage_tres[i].in;
        bool task = PART(f) == MAX_TASK || PART(f) == MIN_TASK;
        if (which == NOT_THERE || (which == ALWAYS_ZERO && task))
            continue;
        buf_addf(out, "%s%s=", sep, usage_tres[i].name);
        sep = ",";
        add_usage(out, ROW(row), which, PART(f));
    }
}

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
    FIELD("TRESUsageInAve",      14, SHOW_TEXT,    get_usage,  PART_OF(0, AVE)),
    FIELD("TRESUsageInMax",      14, SHOW_TEXT,    get_usage,  PART_OF(0, MAXIMUM)),
    FIELD("TRESUsageInMaxNode",  18, SHOW_TEXT,    get_usage,  PART_OF(0, MAX_NODE)),
    FIELD("TRESUsageInMaxTask",  18, SHOW_TEXT,    get_usage,  PART_OF(0, MAX_TASK)),
    FIELD("TRESUsageInMin",      14, SHOW_TEXT,    get_usage,  PART_OF(0, MINIMUM)),
    FIELD("TRESUsageInMinNode",  18, SHOW_TEXT,    get_usage,  PART_OF(0, MIN_NODE)),
    FIELD("TRESUsageInMinTask",  18, SHOW_TEXT,    get_usage,  PART_OF(0, MIN_TASK)),
    FIELD("TRESUsageInTot",      14, SHOW_TEXT,    get_usage,  PART_OF(0, TOTAL)),
    FIELD("TRESUsageOutAve",     15, SHOW_TEXT,    get_usage,  PART_OF(1, AVE)),
    FIELD("TRESUsageOutMax",     15, SHOW_TEXT,    get_usage,  PART_OF(1, MAXIMUM)),
    FIELD("TRESUsageOutMaxNode", 19, SHOW_TEXT,    get_usage,  PART_OF(1, MAX_NODE)),
    FIELD("TRESUsageOutMaxTask", 19, SHOW_TEXT,    get_usage,  PART_OF(1, MAX_TASK)),
    FIELD("TRESUsageOutMin",     15, SHOW_TEXT,    get_usage,  PART_OF(1, MINIMUM)),
    FIELD("TRESUsageOutMinNode", 19, SHOW_TEXT,    get_usage,  PART_OF(1, MIN_NODE)),
    FIELD("TRESUsageOutMinTask", 19, SHOW_TEXT,    get_usage,  PART_OF(1, MIN_TASK)),
    FIELD("TRESUsageOutTot",     15, SHOW_TEXT,    get_usage,  PART_OF(1, TOTAL)),
    { 0 },
};
/* clang-format on */
const struct show_table show_step_usage = { "step usage", usage_fields, "", NULL };
