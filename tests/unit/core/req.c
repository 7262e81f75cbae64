/* req - a request is copied whole, and every field of it is part of its signature. */
#include "core/req.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static bool same_signature(const struct req *a, const struct req *b)
{
    auto_buf struct buf x = BUF_INIT, y = BUF_INIT;
    req_signature(a, &x);
    req_signature(b, &y);
    return x.len == y.len && !memcmp(x.s, y.s, x.len);
}

static void make(struct req *r)
{
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    struct err err = ERR_INIT;
    spec.gres = (char[]){ "gpu:a100:2" }, spec.licenses = (char[]){ "matlab:2,ansys" },
    spec.nodelist = (char[]){ "n1" };
    spec.min_nodes = 2, spec.ntasks = 4;
    ok(!req_init(r, &spec, &err), "a request is made %s", err.text);
}

#define CHANGE_NUMBER(name) b.name = (__typeof__(b.name))!b.name;
#define CHANGE_SPEC(name) CHANGE_NUMBER(name)
#define CHANGE_TEXT(name)                                                                                              \
    free(b.name);                                                                                                      \
    b.name = a.name ? NULL : mem_str("");
#define CHANGE_GRES(name) b.name[0].count++;
#define CHANGE_LICENSES(name) b.name.any = !b.name.any;

static void test_every_field(void)
{
    struct req a;
    make(&a);
#define X(kind, type, name)                                                                                            \
    {                                                                                                                  \
        struct req b;                                                                                                  \
        req_copy(&b, &a);                                                                                              \
        bool equal = same_signature(&a, &b);                                                                           \
        CHANGE_##kind(name) ok(equal && !same_signature(&a, &b), "another " #name " is another signature");            \
        req_clear(&b);                                                                                                 \
    }
    REQ_FIELDS(X)
#undef X
    req_clear(&a);
}

/* What is listed: each part of it, and its place. */
static void test_lists(void)
{
    struct req a, b;
    make(&a);
    for (int i = 0; i < 7; i++) {
        req_copy(&b, &a);
        switch (i) {
        case 0: mem_set_str(&b.gres[0].name, "shard"); break;
        case 1: mem_set_str(&b.gres[0].type, NULL); break;
        case 2: b.gres[0].scope = REQ_PER_JOB; break;
        case 3: mem_set_str(&b.licenses.at[0].name, "octave"); break;
        case 4: b.licenses.at[0].count++; break;
        case 5: free(b.licenses.at[--b.licenses.n].name); break;
        default: free(b.gres[0].name), free(b.gres[0].type), b.ngres = 0;
        }
        ok(!same_signature(&a, &b), "another list is another signature (%d)", i);
        req_clear(&b);
    }
    req_clear(&a);
}

int main(void)
{
    test_every_field();
    test_lists();
    return test_done();
}
