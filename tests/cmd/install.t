#!/usr/bin/env bash
# install: what `meson install` gives is complete, and runs from where it was put.
. "$(dirname "$0")/lib.sh"
plan 10
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
# exposure UNIT: systemd's own measure of what a service could do, from 0 to 10.
exposure() {
	systemd-analyze security --offline=true "$(find "$dest" -name "$1")" 2>/dev/null | sed -n 's/.*exposure level.*: //p'
}
if measured=$(exposure spurctld.service) && [ -n "$measured" ]; then
	like "$measured" '^([0-2]\.[0-9]|3\.0) ' "the controller's unit leaves an exposure of 3.0 at most"
else
	skip 1 "no systemd-analyze that reads a unit file"
fi
is "$(stat -c '%F %a' "$dest/etc/spur")" "directory 755" "and the folder for the cluster's key"
SPUR=$prefix/bin/spur
cluster installed --nodes 2
is "$(srun -N 2 -n 2 true 2>&1; echo $?)" 0 "a cluster runs from there"
like "$(readlink "/proc/$(pid_of ctl1)/exe")" "^$prefix/sbin/spurctld" "with the programs from there"
