/*
 * rmtree - remove a folder that users have written to, with root's rights.
 *
 * Every name is used relative to an open folder and no link is followed, so a folder that is swapped for a link during
 * the removal leads nowhere else.  Mount points and what is below them stay.  The tree's depth costs neither stack nor
 * descriptors.  A tree that processes keep filling is given up after a number of passes.
 */
#ifndef SPUR_STEP_RMTREE_H
#define SPUR_STEP_RMTREE_H

/* Remove `name` (one path component) in the folder `dir`.  0, or the error that left something. */
int rmtree(int dir, const char *name);

#endif
