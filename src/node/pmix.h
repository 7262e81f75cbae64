/*
 * pmix - the path of the PMIx helper, if this node supports PMIx.
 */
#ifndef SPUR_NODE_PMIX_H
#define SPUR_NODE_PMIX_H

#include "node/agent.h"

/* Path of the helper, beside the supervisor or in the build tree; NULL: there is none.  The caller frees it. */
char *pmix_helper(const struct agent *a);

#endif
