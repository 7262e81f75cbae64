/* tree - rows of nodes cut into branches: each node once, none left out, few levels. */
#include <stdbool.h>

#include "test.h"
#include "wire/tree.h"

static void test_cuts(void)
{
    bool whole = true, even = true, few = true;
    for (unsigned width = 0; width <= 20; width++)
        for (size_t n = 1; n <= 400; n++) {
            size_t at = 0, least = n, most = 0, k = tree_branches(n, width);
            few &= k <= (width ? width : 1) && k <= n;
            for (size_t i = 0; i < k; i++) {
                struct tree_cut c = tree_branch(n, width, i);
                whole &= c.first == at && c.count > 0;
                at += c.count;
                least = c.count < least ? c.count : least;
                most = c.count > most ? c.count : most;
            }
            whole &= at == n;
            even &= most - least <= 1;
        }
    ok(whole, "branches follow each other and hold every node once");
    ok(even, "they differ by one node at most");
    ok(few, "there are never more than the width");
}

static void test_levels(void)
{
    static const struct {
        size_t n;
        unsigned width, want;
    } rows[] = {
        { 0, 16, 0 },    { 1, 16, 1 },      { 16, 16, 1 },  { 17, 16, 2 }, { 272, 16, 2 },
        { 273, 16, 3 },  { 1000, 16, 3 },   { 10000, 16, 4 }, { 5, 1, 5 }, { 14, 2, 3 },
        { 15, 2, 4 },    { 100, 65533, 1 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        is_int(tree_levels(rows[i].n, rows[i].width), rows[i].want, "levels");
}

int main(void)
{
    test_cuts();
    test_levels();
    return test_done();
}
