/* Whatever lines a configuration reply has, its JSON is an object that ends, and no value reaches beyond the text. */
#include "fuzz.h"

#include <string.h>

#include "show/config.h"

static void render(const struct show_table *t, const struct config_row *row, struct show_json *j)
{
    struct show_plan p;
    show_plan_init(&p, t, SHOW_PARSER);
    show_plan_row(&p, row, j);
    show_plan_clear(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    auto_buf struct buf out = BUF_INIT;
    struct config_row row;
    struct show_json j;
    config_row_init(&row, text, 0, 0);
    for (size_t i = 0; i < row.pair.n; i++)
        check(row.pair.at[i].value + row.pair.at[i].value_len <= text + strlen(text));
    show_json_init(&j, &out, SHOW_JSON, SHOW_PARSER);
    render(&show_config, &row, &j);
    check(!j.depth && out.len > 2 && !strcmp(out.s + out.len - 2, "}\n"));
    show_json_clear(&j);
    config_row_clear(&row);
    return 0;
}
