/*
 * heap_guard - libraft's allocator, with frees held back during a call.
 *
 * When the disk refuses an entry at once, libraft 0.22 frees the entry's buffer inside raft_apply() and raft_barrier()
 * and then again, or leaves it to the caller, which cannot tell; so it does with the entries of a message that it
 * receives.  During a guarded call each pointer is freed once, at the end, and the caller is told whether its own
 * buffer was among them.
 */
#ifndef SPUR_STORE_HEAP_GUARD_H
#define SPUR_STORE_HEAP_GUARD_H

#include <stdbool.h>

void heap_guard_install(void); /* before any other call to libraft; again is welcome */
void heap_guard_begin(void);
bool heap_guard_end(const void *buffer); /* ends the guarded call: was `buffer` freed in it? */

#endif
