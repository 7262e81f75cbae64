/* tree - cutting a row of nodes into branches; see tree.h. */
#include "wire/tree.h"

size_t tree_branches(size_t n, unsigned width)
{
    size_t most = width ? width : 1;
    return n < most ? n : most;
}

struct tree_cut tree_branch(size_t n, unsigned width, size_t i)
{
    size_t k = tree_branches(n, width), each = n / k, more = n % k;
    return (struct tree_cut){ i * each + (i < more ? i : more), each + (i < more) };
}

unsigned tree_levels(size_t n, unsigned width)
{
    unsigned levels = 0;
    for (; n; levels++)
        n = tree_branch(n, width, 0).count - 1;
    return levels;
}
