#!/usr/bin/env bash
# install: what `meson install` gives is complete, and runs from where it was put.
. "$(dirname "$0")/lib.sh"
plan 9
build=${BUILD:-$(dirname "$SPUR")/../..}
dest=$TMP/dest
works "meson install" meson install -C "$build" --no-rebuild --destdir "$dest" || exit
prefix=$(dirname "$(dirname "$(find "$dest" -name spur -path '*/bin/*')")")
for name in $(cat "$(dirname "$0")/../../src/cli/links.txt"); do
	[ "$(readlink "$prefix/bin/$name")" = spur ] || echo "$name"
done >"$TMP/missing"
silent "every name of Slurm's is a link to spur" cat "$TMP/missing"
is "$(readlink "$prefix/sbin/slurmctld") $(readlink "$prefix/sbin/slurmd")" "spurctld spurd" \
	"the daemons have Slurm's names too"
works "the supervisor is in libexec" test -x "$prefix/libexec/spur/spurstepd"
for page in spur.1 sbatch.1 srun.1 salloc.1 squeue.1 sinfo.1 scancel.1 scontrol.1 spurctld.8 spurd.8 slurmctld.8 \
	slurmd.8; do
	[ -s "$prefix/share/man/man${page##*.}/$page" ] || echo "$page"
done >"$TMP/missing"
silent "every page is there" cat "$TMP/missing"
is "$(find "$dest" -name '*.service' | wc -l)" 2 "and the units"
is "$(stat -c '%F %a' "$dest/etc/spur")" "directory 755" "and the folder for the cluster's key"
SPUR=$prefix/bin/spur
cluster installed --nodes 2
is "$(srun -N 2 -n 2 true 2>&1; echo $?)" 0 "a cluster runs from there"
like "$(readlink "/proc/$(pid_of ctl1)/exe")" "^$prefix/sbin/spurctld" "with the programs from there"
