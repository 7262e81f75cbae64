/* topology.conf and topology.yaml from hostile hands: the first byte says which; whatever is taken can be walked. */
#include "fuzz.h"

#include <string.h>

#include "base/str.h"
#include "text/hostlist.h"
#include "text/topology.h"

static void check_net(const struct topo_conf_net *n)
{
    check(n->name && *n->name);
    for (size_t i = 0; i < n->unit.n; i++) {
        const struct topo_conf_unit *u = &n->unit.at[i];
        size_t nodes, below;
        check(*u->name && strlen(u->name) <= TOPO_NAME_MAX && u->line);
        check(!hostlist_count(u->nodes, &nodes, NULL) && !hostlist_count(u->children, &below, NULL));
        check((nodes > 0) != (below > 0));
    }
    for (size_t i = 1; i < n->size.n; i++)
        check(n->size.at[i] > n->size.at[i - 1] && n->size.at[i] % n->size.at[0] == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n || n > FUZZ_TEXT_MAX)
        return 0;
    struct err err = ERR_INIT;
    struct topo_conf *t = topo_conf_new("f");
    const char *text = (const char *)data + 1;
    int rc = *data == 'y' ? topo_yaml_parse(t, text, n - 1, &err)
                          : topo_conf_parse(t, *data == 'b' ? TOPO_BLOCK : TOPO_TREE, text, n - 1, &err);
    check(!rc == !err.text[0]);
    for (size_t i = 0; !rc && i < t->net.n; i++)
        check_net(&t->net.at[i]);
    topo_conf_free(t);
    return 0;
}
