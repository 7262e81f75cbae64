/* Any format is read: -o, -O and sstat's fields; a row is printed within its widths, and as JSON that can be read back.
 */
#include "fuzz.h"

#include <string.h>

#include "show/job.h"
#include "show/step_usage.h"

static void ignore(const char *what)
{
    (void)what;
}

static void print(struct show_columns *c, const void *row)
{
    auto_buf struct buf out = BUF_INIT;
    size_t most = 1 + (c->before ? strlen(c->before) : 0);
    for (size_t i = 0; i < c->column.n; i++)
        most += (c->column.at[i].width ? c->column.at[i].width : 2 * FUZZ_TEXT_MAX) +
                (c->column.at[i].after ? strlen(c->column.at[i].after) : 0);
    show_columns_head(c, &out);
    buf_reset(&out);
    show_columns_row(c, row, &out);
    check(out.len <= most && out.s[out.len - 1] == '\n');
    show_columns_clear(c);
}

/* A string in JSON: quotes around it, none inside without a backslash, no control character, UTF-8. */
static void check_string(const char *text, size_t n)
{
    auto_buf struct buf out = BUF_INIT;
    struct show_json j;
    show_json_init(&j, &out, SHOW_JSON, SHOW_PARSER);
    show_json_text(&j, text, n);
    check(out.len >= 2 && out.s[0] == '"' && out.s[out.len - 1] == '"');
    for (size_t i = 1; i < out.len - 1; i++) {
        unsigned char c = (unsigned char)out.s[i];
        check(c >= ' ' && c != '"');
        if (c == '\\')
            check(strchr("\"\\bfnrtu", out.s[++i]) != NULL);
    }
    show_json_clear(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct show_env env = { .now_s = 1000 };
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    Pb__Job job = PB__JOB__INIT;
    spec.name = spec.gres = text;
    job.spec = &spec;
    struct job_row row = { .job = &job, .env = &env };
    struct show_columns c = { 0 };
    show_columns_letters(&c, &show_job, text, ignore);
    print(&c, &row);
    c = (struct show_columns){ 0 };
    show_columns_names(&c, &show_job, text, ignore);
    print(&c, &row);
    c = (struct show_columns){ 0 };
    if (show_columns_wide(&c, &show_step_usage, text, (struct show_wide){ 0 }, NULL))
        show_columns_clear(&c);
    else
        print(&c, &(struct step_usage_row){ .nodes = text, .pids = text });
    check_string((const char *)data, n);
    return 0;
}
