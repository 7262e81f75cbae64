/*
 * sample - a record with a field of every type, and its table.
 */
#ifndef SPUR_TEST_SHOW_SAMPLE_H
#define SPUR_TEST_SHOW_SAMPLE_H

#include "show/show.h"

struct disk {
    const char *name;
    int64_t size;
};

struct sample {
    const char *name, *words, *lines, *comment;
    int64_t id, limit, start, ran, memory, code;
    double load;
    bool up;
    const struct disk *disk;
    size_t ndisk;
};

#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)
#define ROW(type) ((const type *)row)

GET(get_text) { show_set_text(v, *(const char *const *)((const char *)row + f->at)); }
GET(get_number) { show_set_number(v, *(const int64_t *)((const char *)row + f->at)); }
GET(get_count) { show_set_count(v, *(const int64_t *)((const char *)row + f->at)); }
GET(get_up) { show_set_number(v, ROW(struct sample)->up); }
GET(get_load) { show_set_real(v, ROW(struct sample)->load); }
GET(get_label) { buf_addf(show_make(v), "%s#%d", ROW(struct sample)->name, (int)ROW(struct sample)->id); }
GET(get_limit)
{
    if (ROW(struct sample)->limit < 0)
        show_set_infinite(v);
    else
        show_set_count(v, ROW(struct sample)->limit);
}

static const void *disk_at(const void *of, size_t i, void *room)
{
    *(struct disk *)room = ((const struct sample *)of)->disk[i];
    return room;
}

GET(get_disks)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ ROW(struct sample)->ndisk, row, disk_at };
}

GET(get_first_disk)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ ROW(struct sample)->ndisk ? 1 : 0, row, disk_at };
}

/* clang-format off */
#define AT(member) .at = offsetof(struct disk, member)
static const struct show_field disk_fields[] = {
    { "Name", 'n', "NAME", "Name", "name", SHOW_TEXT,   get_text,   AT(name) },
    { "Size", 's', "SIZE", "Size", "size", SHOW_NUMBER, get_number, AT(size) },
    { 0 },
};
#undef AT
static const struct show_table disk_table = { "disk", disk_fields, "Name Size", NULL };

#define AT(member) .at = offsetof(struct sample, member)
static const struct show_field sample_fields[] = {
    { "Name",    'n', "NAME",    "Name",    "name",          SHOW_TEXT,      get_text,   AT(name), .width = -6 },
    { "Id",      'i', "ID",      "Id",      "step.id",       SHOW_NUMBER,    get_number, AT(id), .width = 4 },
    { "Label",   'l', "LABEL",   NULL,      "label",         SHOW_TEXT,      get_label, .width = 5 },
    { "Words",   'w', "WORDS",   "Words",   "words",         SHOW_LIST,      get_text,   AT(words), .width = 8 },
    { "Up",      'u', "UP",      "Up",      "up",            SHOW_BOOL,      get_up,
      .none = "no", .pair_none = "NO", .yes = "yes" },
    { "Start",   'S', "START",   "Start",   "time.start",    SHOW_TIME,      get_count,  AT(start) },
    { "Limit",   'L', "LIMIT",   "Limit",   "time.limit",    SHOW_MINUTES,   get_limit,  .since = 43 },
    { "Ran",     'M', "TIME",    "Ran",     "time.ran",      SHOW_SECONDS,   get_number, AT(ran), .flags = SHOW_PLAIN },
    { "Memory",  'm', "MEMORY",  "Memory",  "memory",        SHOW_MEMORY_MB, get_count,  AT(memory) },
    { "Code",    'c', "CODE",    "Code",    "exit",          SHOW_EXIT_CODE, get_number, AT(code) },
    { "Load",    'o', "LOAD",    "Load",    "load",          SHOW_FLOAT,     get_load,   .format = "%.2f" },
    { NULL,       0,  NULL,      "Lines",   "lines",         SHOW_LINES,     get_text,   AT(lines) },
    { "Comment", 'k', "COMMENT", "Comment", "step.comment",  SHOW_TEXT,      get_text,   AT(comment), .until = 44 },
    { "Sort",     0,  "SORT",    NULL,      NULL,            SHOW_NUMBER,    get_number, AT(id), .flags = SHOW_ALIAS },
    { NULL,       0,  NULL,      NULL,      "disks",         SHOW_RECORDS,   get_disks,  .sub = &disk_table },
    { NULL,       0,  NULL,      NULL,      "disk",          SHOW_RECORD,    get_first_disk, .sub = &disk_table },
    { 0 },
};
#undef AT
/* clang-format on */
static const struct show_table sample_table = { "sample", sample_fields,
                                                "Id Name\n"
                                                "?Words +Up\n"
                                                "?Start\n"
                                                "Limit Ran\n"
                                                "+Lines\n"
                                                "Memory Code Load",
                                                NULL };

static const struct disk disks[] = { { "sda", 10 }, { "sdb", 20 } };
static const struct sample full = { .name = "ada", .words = "x,y[1,2]", .lines = "one\ntwo",
                                    .comment = "a \"b\"\n\xc3\xa4\xff",
                                    .id = 42, .limit = 90, .start = 3600, .ran = 61, .memory = 2048, .code = 9,
                                    .load = 1, .up = true, .disk = disks, .ndisk = 2 };
static const struct sample empty = { .limit = -1 };

#endif
