/* name - see name.h. */
#include "core/name.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct name {
    struct name_table *table;
    size_t refs;
    char text[];
};

char *name_ref(struct name_table *t, const char *text)
{
    text = text ? text : "";
    struct name *n = smap_get(&t->by_text, text);
    if (!n) {
        size_t len = strlen(text) + 1;
        n = mem_alloc(sizeof(*n) + len);
        n->table = t;
        memcpy(n->text, text, len);
        smap_put(&t->by_text, n->text, n);
    }
    n->refs++;
    return n->text;
}

void name_unref(char *name)
{
    struct name *n = name ? CONTAINER_OF(name, struct name, text) : NULL;
    if (!n || --n->refs)
        return;
    smap_del(&n->table->by_text, n->text);
    free(n);
}

void name_set(struct name_table *t, char **where, const char *text)
{
    if (*where && str_eq(*where, text ? text : ""))
        return;
    char *old = *where;
    *where = name_ref(t, text);
    name_unref(old);
}

void name_table_clear(struct name_table *t)
{
    smap_clear(&t->by_text);
}
