/* bind - how tasks are tied to CPUs, memory and devices; see bind.h. */
#include "text/bind.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

/* ---- lists ---- */

static void list_clear(struct bind_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    vec_clear(l);
}

void bind_cpu_clear(struct bind_cpu *b)
{
    list_clear(&b->list);
    *b = (struct bind_cpu){ 0 };
}

void bind_mem_clear(struct bind_mem *b)
{
    list_clear(&b->list);
    *b = (struct bind_mem){ 0 };
}

void bind_gres_clear(struct bind_gres *b)
{
    list_clear(&b->list);
    *b = (struct bind_gres){ 0 };
}

char *bind_list_text(const struct bind_list *l)
{
    auto_buf struct buf out = BUF_INIT;
    for (size_t i = 0; i < l->n; i++)
        buf_addf(&out, "%s%s", i ? "," : "", l->at[i]);
    return buf_take(&out);
}

/* The first byte of `word` that no number of this kind has; NULL: it is one. */
static const char *odd_byte(const char *word, bool mask)
{
    bool hex = mask;
    if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
        hex = true;
        word += 2;
    }
    for (; *word; word++)
        if (hex ? !isxdigit((unsigned char)*word) : !isdigit((unsigned char)*word))
            return word;
    return NULL;
}

/* One entry, "3" or "0xf*4". */
static int list_add(struct bind_list *l, char *word, bool mask, struct err *err)
{
    char *star = strchr(word, '*');
    uint64_t times = 1;
    if (star)
        *star = '\0';
    const char *odd = *word ? odd_byte(word, mask) : word;
    if (odd)
        return err_set(err, EINVAL, "Failed to validate number: %s, the offending character is %.1s", word, odd);
    if (star && !str_u64(star + 1, 1, BIND_LIST_MAX, &times))
        return err_set(err, EINVAL, "\"%s\" is not a number of repetitions", star + 1);
    if (mask && str_has_iprefix(word, "0x"))
        word += 2;
    if (l->n + times > BIND_LIST_MAX)
        return err_set(err, E2BIG, "a list of more than %d entries", BIND_LIST_MAX);
    for (uint64_t i = 0; i < times; i++)
        vec_push(l, mem_str(*word ? word : "0"));
    return 0;
}

/* A list goes on as long as its words look like numbers. */
static bool goes_on(const char *pos, bool mask)
{
    auto_free char *word = mem_strn(pos, strcspn(pos, ",*"));
    return isdigit((unsigned char)*word) || (mask && *word && !odd_byte(word, true));
}

/* The list at `*pos`, up to the next word that is none of it. */
static int list_parse(struct bind_list *l, const char **pos, bool mask, struct err *err)
{
    list_clear(l);
    do {
        size_t len = strcspn(*pos, ",");
        auto_free char *word = mem_strn(*pos, len);
        int rc = list_add(l, word, mask, err);
        if (rc)
            return rc;
        *pos += len + ((*pos)[len] == ',');
    } while (**pos && goes_on(*pos, mask));
    return 0;
}

/* ---- words ---- */

struct word {
    const char *name, *more; /* "no" and "ne": either "no" or "none" will do */
    int what;
    bool list, mask;
};

/* "v", "verbose" and all that lies between are one word. */
static bool is_word(const struct word *w, const char *text, size_t len)
{
    size_t least = strlen(w->name), most = least + strlen(w->more);
    if (len < least || len > most)
        return false;
    return !strncasecmp(text, w->name, least) && !strncasecmp(text + least, w->more, len - least);
}

static const struct word *find_word(const struct word *w, const char *text, size_t len)
{
    for (; w->name; w++)
        if (is_word(w, text, len))
            return w;
    return NULL;
}

/* The next word at `*pos` with its list, if it takes one. */
static int next_word(const struct word *words, const char *option, const char **pos, const struct word **out,
                     struct bind_list *list, struct err *err)
{
    size_t len = strcspn(*pos, ",:=");
    const struct word *w = *out = find_word(words, *pos, len);
    char end = (*pos)[len];
    if (!w || (!w->list && end && end != ','))
        return err_set(err, EINVAL, "unrecognized --%s argument \"%.*s\"", option, (int)strcspn(*pos, ","), *pos);
    *pos += len + (end != '\0');
    if (!w->list)
        return 0;
    if ((end != ':' && end != '=') || !**pos || **pos == ',')
        return err_set(err, EINVAL, "missing list for \"--%s=%s:<list>\"", option, w->name);
    return list_parse(list, pos, w->mask, err);
}

/* ---- CPUs ---- */

enum { CPU_QUIET, CPU_VERBOSE, CPU_OLD_RANK, CPU_HOW, CPU_UNIT = CPU_HOW + 16 };

static const struct word cpu_words[] = {
    { "q", "uiet", CPU_QUIET, false, false },
    { "v", "erbose", CPU_VERBOSE, false, false },
    { "no", "ne", CPU_HOW + BIND_CPU_NONE, false, false },
    { "rank", "", CPU_OLD_RANK, false, false },
    { "map_cpu", "", CPU_HOW + BIND_CPU_MAP, true, false },
    { "mapcpu", "", CPU_HOW + BIND_CPU_MAP, true, false },
    { "mask_cpu", "", CPU_HOW + BIND_CPU_MASK, true, true },
    { "maskcpu", "", CPU_HOW + BIND_CPU_MASK, true, true },
    { "rank_ldom", "", CPU_HOW + BIND_CPU_LD_RANK, false, false },
    { "map_ldom", "", CPU_HOW + BIND_CPU_LD_MAP, true, false },
    { "mask_ldom", "", CPU_HOW + BIND_CPU_LD_MASK, true, true },
    { "socket", "s", CPU_UNIT + BIND_SOCKETS, false, false },
    { "core", "s", CPU_UNIT + BIND_CORES, false, false },
    { "thread", "s", CPU_UNIT + BIND_THREADS, false, false },
    { "ldom", "s", CPU_UNIT + BIND_LDOMS, false, false },
    { NULL, NULL, 0, false, false },
};

/* The last word about how counts, as does the last about verbosity. */
static void cpu_take(struct bind_cpu *b, const struct word *w)
{
    if (w->what == CPU_QUIET || w->what == CPU_VERBOSE) {
        b->verbose = w->what == CPU_VERBOSE;
        b->quiet = !b->verbose;
    } else if (w->what == CPU_OLD_RANK) {
        b->rank = true;
    } else {
        b->how = w->what < CPU_UNIT ? (enum bind_cpu_how)(w->what - CPU_HOW) : BIND_CPU_AUTO;
        b->unit = w->what < CPU_UNIT ? BIND_UNIT_ANY : (enum bind_unit)(w->what - CPU_UNIT);
        if (!w->list)
            list_clear(&b->list);
    }
}

int bind_cpu_parse(const char *text, struct bind_cpu *out, struct err *err)
{
    const struct word *w;
    if (!*text)
        return err_set(err, EINVAL, "unrecognized --cpu-bind argument \"\"");
    while (*text) {
        int rc = next_word(cpu_words, "cpu-bind", &text, &w, &out->list, err);
        if (rc)
            return rc;
        cpu_take(out, w);
    }
    return 0;
}

char *bind_cpu_type(const struct bind_cpu *b)
{
    static const char *const hows[] = { "", "none", "map_cpu:", "mask_cpu:", "rank_ldom", "map_ldom:", "mask_ldom:" };
    static const char *const units[] = { "", "sockets", "cores", "threads", "ldoms" };
    const char *unit = units[b->unit], *how = hows[b->how];
    return mem_printf("%s%s%s", unit, *unit && *how ? "," : "", how);
}

/* "verbose", then ",type", then the list. */
static char *join_bind_text(const char *first, const char *type, const struct bind_list *l)
{
    auto_free char *list = bind_list_text(l);
    return mem_printf("%s%s%s%s", first, *first && *type ? "," : "", type, list);
}

char *bind_cpu_text(const struct bind_cpu *b)
{
    auto_free char *type = bind_cpu_type(b);
    return join_bind_text(b->verbose ? "verbose" : b->quiet ? "quiet" : "", type, &b->list);
}

/* ---- memory ---- */

enum { MEM_QUIET, MEM_VERBOSE, MEM_SORT, MEM_NOSORT, MEM_PREFER, MEM_HOW };

static const struct word mem_words[] = {
    { "q", "uiet", MEM_QUIET, false, false },
    { "v", "erbose", MEM_VERBOSE, false, false },
    { "sort", "", MEM_SORT, false, false },
    { "nosort", "", MEM_NOSORT, false, false },
    { "p", "refer", MEM_PREFER, false, false },
    { "no", "ne", MEM_HOW + BIND_MEM_NONE, false, false },
    { "rank", "", MEM_HOW + BIND_MEM_RANK, false, false },
    { "local", "", MEM_HOW + BIND_MEM_LOCAL, false, false },
    { "map_mem", "", MEM_HOW + BIND_MEM_MAP, true, false },
    { "mapmem", "", MEM_HOW + BIND_MEM_MAP, true, false },
    { "mask_mem", "", MEM_HOW + BIND_MEM_MASK, true, true },
    { "maskmem", "", MEM_HOW + BIND_MEM_MASK, true, true },
    { NULL, NULL, 0, false, false },
};

static void mem_take(struct bind_mem *b, const struct word *w)
{
    if (w->what == MEM_QUIET || w->what == MEM_VERBOSE) {
        b->verbose = w->what == MEM_VERBOSE;
        b->quiet = !b->verbose;
    } else if (w->what == MEM_SORT || w->what == MEM_NOSORT) {
        b->sort = w->what == MEM_SORT;
        b->nosort = !b->sort;
    } else if (w->what == MEM_PREFER) {
        b->prefer = true;
    } else {
        b->how = (enum bind_mem_how)(w->what - MEM_HOW);
        if (!w->list)
            list_clear(&b->list);
    }
}

int bind_mem_parse(const char *text, struct bind_mem *out, struct err *err)
{
    const struct word *w;
    if (!*text)
        return err_set(err, EINVAL, "unrecognized --mem-bind argument \"\"");
    while (*text) {
        int rc = next_word(mem_words, "mem-bind", &text, &w, &out->list, err);
        if (rc)
            return rc;
        mem_take(out, w);
    }
    return 0;
}

char *bind_mem_type(const struct bind_mem *b)
{
    static const char *const hows[] = { "", "none", "rank", "local", "map_mem:", "mask_mem:" };
    return mem_str(hows[b->how]);
}

char *bind_mem_text(const struct bind_mem *b)
{
    auto_free char *type = bind_mem_type(b);
    auto_free char *how = join_bind_text(b->sort ? "sort" : b->nosort ? "nosort" : "", type, &b->list);
    auto_free char *with = mem_printf("%s%s%s", b->prefer ? "prefer" : "", b->prefer && *how ? "," : "", how);
    const char *first = b->verbose ? "verbose" : b->quiet ? "quiet" : "";
    return mem_printf("%s%s%s", first, *first && *with ? "," : "", with);
}

/* ---- devices ---- */

static const struct word gres_words[] = {
    { "none", "", BIND_GRES_NONE, false, false },
    { "closest", "", BIND_GRES_CLOSEST, false, false },
    { "single", "", BIND_GRES_SINGLE, true, false },
    { "per_task", "", BIND_GRES_PER_TASK, true, false },
    { "map", "", BIND_GRES_MAP, true, false },
    { "map_gpu", "", BIND_GRES_MAP, true, false },
    { "mask", "", BIND_GRES_MASK, true, true },
    { "mask_gpu", "", BIND_GRES_MASK, true, true },
    { NULL, NULL, 0, false, false },
};

int bind_gres_parse(const char *text, struct bind_gres *out, struct err *err)
{
    uint64_t n;
    if (str_has_iprefix(text, "verbose,")) {
        out->verbose = true;
        text += strlen("verbose,");
    }
    size_t len = strcspn(text, ":");
    const struct word *w = find_word(gres_words, text, len);
    if (!w || w->list != (text[len] == ':'))
        return err_set(err, EINVAL, "\"%s\" is no way to bind", text);
    out->how = (enum bind_gres_how)w->what;
    if (!w->list)
        return 0;
    text += len + 1;
    if (out->how == BIND_GRES_MAP || out->how == BIND_GRES_MASK) {
        int rc = list_parse(&out->list, &text, w->mask, err);
        return rc || !*text ? rc : err_set(err, EINVAL, "\"%s\" is no device", text);
    }
    if (!str_u64(text, 1, UINT16_MAX, &n))
        return err_set(err, EINVAL, "\"%s\" is no count", text);
    out->n = (uint32_t)n;
    return 0;
}

int bind_tres_parse(const char *text, const char *name, struct bind_gres *out, struct err *err)
{
    for (const char *pos = text;;) {
        auto_free char *piece = str_next(&pos, "+");
        if (!piece)
            return 0;
        char *colon = strchr(piece, ':');
        if (!str_has_prefix(piece, "gres/") || !colon || colon == piece + 5)
            return err_set(err, EINVAL, "\"%s\" is not gres/NAME:HOW", piece);
        *colon = '\0';
        auto_bind_gres struct bind_gres b = { 0 };
        int rc = bind_gres_parse(colon + 1, &b, err);
        if (rc)
            return rc;
        if (out && str_eq(piece + 5, name)) {
            bind_gres_clear(out);
            *out = b;
            b.list = (struct bind_list){ 0 };
        }
    }
}

/* ---- distribution ---- */

static const struct {
    const char *name;
    enum bind_level level;
    bool first, later; /* may stand at the first level, at the second and third */
} levels[] = {
    { "*", BIND_DEFAULT, true, true },     { "block", BIND_BLOCK, true, true },
    { "cyclic", BIND_CYCLIC, true, true }, { "fcyclic", BIND_FCYCLIC, false, true },
    { "plane", BIND_PLANE, true, false },  { "arbitrary", BIND_ARBITRARY, true, false },
};

static bool level_parse(const char *text, size_t len, bool first, enum bind_level *out)
{
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        if (len != strlen(levels[i].name) || strncasecmp(text, levels[i].name, len))
            continue;
        *out = levels[i].level;
        return first ? levels[i].first : levels[i].later;
    }
    return false;
}

static int dist_bad(const char *text, struct err *err)
{
    return err_set(err, EINVAL, "\"%s\" is no distribution", text);
}

/* ",pack" and ",nopack" */
static bool dist_pack(const char *text, struct bind_dist *out)
{
    out->pack = str_ieq(text, ",pack");
    out->nopack = str_ieq(text, ",nopack");
    return !*text || out->pack || out->nopack;
}

int bind_dist_parse(const char *text, struct bind_dist *out, struct err *err)
{
    const char *all = text;
    enum bind_level *at[] = { &out->node, &out->socket, &out->core };
    uint64_t size;
    *out = (struct bind_dist){ 0 };
    if (str_has_iprefix(text, "plane=")) {
        auto_free char *number = mem_strn(text + 6, strcspn(text + 6, ","));
        if (!str_u64(number, 1, UINT32_MAX - 2, &size))
            return err_set(err, EINVAL, "Invalid plane size or size not specified");
        out->node = BIND_PLANE;
        out->plane = (uint32_t)size;
        return dist_pack(text + 6 + strlen(number), out) ? 0 : dist_bad(all, err);
    }
    for (size_t i = 0; i < ARRAY_LEN(at); i++) {
        size_t len = strcspn(text, ":,");
        if (!level_parse(text, len, i == 0, at[i]))
            return dist_bad(all, err);
        text += len;
        if (*text != ':')
            break;
        text += i + 1 < ARRAY_LEN(at);
    }
    if (out->node == BIND_PLANE && out->socket != BIND_DEFAULT)
        return dist_bad(all, err);
    return dist_pack(text, out) ? 0 : dist_bad(all, err);
}

static const char *level_name(enum bind_level level, const char *otherwise)
{
    for (size_t i = 1; i < ARRAY_LEN(levels); i++)
        if (levels[i].level == level)
            return levels[i].name;
    return otherwise;
}

char *bind_dist_text(const struct bind_dist *d)
{
    auto_buf struct buf out = BUF_INIT;
    buf_adds(&out, level_name(d->node, "block"));
    if (d->socket || d->core)
        buf_addf(&out, ":%s", level_name(d->socket, "cyclic"));
    if (d->core)
        buf_addf(&out, ":%s", level_name(d->core, "*"));
    if (d->pack || d->nopack)
        buf_addf(&out, ",%s", d->pack ? "pack" : "nopack");
    return buf_take(&out);
}

/* ---- hints ---- */

int bind_hint_parse(const char *text, enum bind_hint *out, struct err *err)
{
    static const char *const names[] = { NULL, "compute_bound", "memory_bound", "multithread", "nomultithread" };
    for (size_t i = 1; i < ARRAY_LEN(names); i++) {
        if (!str_ieq(text, names[i]))
            continue;
        *out = (enum bind_hint)i;
        return 0;
    }
    return err_set(err, EINVAL, "unrecognized --hint argument \"%s\", see --hint=help", text);
}

const char bind_cpu_help[] = "How tasks are bound to CPUs:\n"
                             "    q[uiet]           say nothing about it (the default)\n"
                             "    v[erbose]         each task tells its CPUs before it runs\n"
                             "    no[ne]            not at all\n"
                             "    sockets           to the sockets, cores, threads or NUMA domains\n"
                             "    cores             (ldoms) that the task was given\n"
                             "    threads\n"
                             "    ldoms\n"
                             "    map_cpu:LIST      one CPU for each task in turn: 0,2*3\n"
                             "    mask_cpu:LIST     one mask in hexadecimal for each task in turn: 0xf,0xf0\n"
                             "    rank_ldom         one NUMA domain for each task in turn\n"
                             "    map_ldom:LIST     the same by number\n"
                             "    mask_ldom:LIST    the same by mask\n"
                             "    help              this text\n";

const char bind_mem_help[] = "How tasks are bound to memory (NUMA domains):\n"
                             "    q[uiet]           say nothing about it (the default)\n"
                             "    v[erbose]         each task tells its memory before it runs\n"
                             "    no[ne]            not at all (the default)\n"
                             "    local             to the memory of the CPUs that the task runs on\n"
                             "    rank              one domain for each task in turn\n"
                             "    map_mem:LIST      the same by number: 0,1*3\n"
                             "    mask_mem:LIST     the same by mask in hexadecimal: 0x1,0x3\n"
                             "    p[refer]          the first domain is preferred, others are allowed\n"
                             "    sort, nosort      accepted: there is no cache of free pages to sort on Linux\n"
                             "    help              this text\n";

const char bind_hint_help[] = "What the program needs most:\n"
                              "    compute_bound     all cores of each socket, one thread a core\n"
                              "    memory_bound      one core of each socket, one thread a core\n"
                              "    multithread       every thread of a core\n"
                              "    nomultithread     one thread of each core\n"
                              "    help              this text\n";
