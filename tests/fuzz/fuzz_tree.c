/* Messages between agents: orders for many nodes, reports of many nodes, and the part of a signed order that is for one
 * node.  An order that is accepted can be carried out: it names a countable set of nodes, and the part lies inside it.
 * */
#include "fuzz.h"

#include "node/emulate.h"
#include "node/order.h"
#include "node/tree.h"
#include "text/hostlist.h"

static const struct cred_key key;

static void spread(const struct frame *f)
{
    struct err err = ERR_INIT;
    Pb__Fanout *o = fanout_read(f, &err);
    if (!o) {
        check(err.code);
        return;
    }
    struct strs names = STRS_INIT;
    check(!hostlist_expand(o->below, &names, &err) && names.n <= ORDER_NODES_MAX);
    check((!o->launch) != (!o->kill) && o->width);
    strs_clear(&names);
    pb__fanout__free_unpacked(o, NULL);
}

static void reports(const struct frame *f)
{
    Pb__Reports *m = gather_read(f);
    if (!m)
        return;
    check(m->n_nodes && m->nodes[0]->report);
    pb__reports__free_unpacked(m, NULL);
}

static void order(const struct frame *f)
{
    struct err err = ERR_INIT;
    Pb__LaunchOrder *o = pb__launch_order__unpack(NULL, f->len, f->body);
    if (!o)
        return;
    if (!order_localize(o, "n1", &err))
        check(o->node_index < o->n_alloc);
    pb__launch_order__free_unpacked(o, NULL);
    struct buf out = BUF_INIT;
    struct emulate_part part;
    cred_sign(&key, CRED_LAUNCH, f->body, f->len, &out);
    Pb__Signed *s = pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
    check(s);
    if (emulate_plan(&key, s, "n1", 0, 0, &part, &err))
        check(err.code);
    pb__signed__free_unpacked(s, NULL);
    buf_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n)
        return 0;
    struct frame f = { .body = data + 1, .len = (uint32_t)(n - 1) };
    if (data[0] % 3 == 0)
        spread(&f);
    else if (data[0] % 3 == 1)
        reports(&f);
    else
        order(&f);
    return 0;
}
