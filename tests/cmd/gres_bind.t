#!/usr/bin/env bash
# gres_bind: GPUs and the cores near to them by gres.conf; --gres-flags=enforce-binding, also after a restart.
. "$(dirname "$0")/lib.sh"
plan 15
cd "$TMP" || exit 1
mkdir site
conf 1 KillWait=1 GresTypes=gpu SelectType=select/cons_tres SelectTypeParameters=CR_Core_Memory
sed -i 's/ CPUs=4 / Sockets=2 CoresPerSocket=4 Gres=gpu:4 /' "$CONF"
mv "$CONF" site/slurm.conf
cat >site/gres.conf <<'G'
NodeName=n1 Name=gpu Count=2 Cores=0-3
NodeName=n1 Name=gpu Count=2 Cores=4-7
NodeName=other[1-4] Name=gpu Count=2 Cores=0
G
cluster gres_bind --conf site/slurm.conf --emulate

# got JOB: its cores and GPUs
got() { scontrol -d show job "$1" | sed -n 's/.*CPU_IDs=\([^ ]*\) .*GRES=\(.*\)/\1 \2/p'; }
go() { sub -o /dev/null --wrap 'sleep 600' "$@"; }
runs() { await RUNNING 30 state "$JOB"; }

is "$(sinfo -ho %G)" 'gpu:4(S:0-1)' 'a node tells which sockets its GPUs hang on'
like "$(scontrol show node n1)" 'Gres=gpu:4\(S:0-1\)' 'scontrol show node, too'

go -n1 -c4 && runs
hog=$JOB
go --gres gpu:1 -n1 --gres-flags=enforce-binding && runs
first=$JOB
is "$(got "$first")" '4 gpu:1(IDX:2)' 'cores and GPU of the second socket: the first has no core'
like "$(scontrol show job "$first")" 'GresEnforceBind=Yes' 'what was asked for is told'
go --gres gpu:1 -n1 -c4 -t 5 --gres-flags=enforce-binding
await Resources 30 squeue -h -j "$JOB" -o %r
second=$JOB
is "$(squeue -h -j "$second" -o '%T %r')" 'PENDING Resources' 'four cores of one socket are not free: it waits'
like "$(spur why "$second")" 'on sockets with cores for it' 'and hears for what'
go --gres gpu:1 -n1 -c3 -t 5 --gres-flags=disable-binding && runs
is "$(got "$JOB")" '5-7 gpu:1(IDX:3)' 'others take what there is, the nearest first'
scancel "$JOB"

kill "$(pid_of ctl1)"
await gone 30 eval 'kill -0 "$(pid_of ctl1)" 2>/dev/null || echo gone'
"$SPUR" up --dir "$DIR" >/dev/null 2>&1
await RUNNING 30 state "$first"
scancel "$hog"
becomes "$second" RUNNING 'it begins when a socket is free, after a restart'
is "$(got "$second")" '0-3 gpu:1(IDX:0)' 'on that socket'
scancel "$first" "$second"

refused 'more cores than the socket of one GPU has' sbatch -N1 -n5 --gres gpu:1 --gres-flags=enforce-binding --wrap true
is "$(sbatch --gres-flags=enforce-binding,disable-binding --wrap true 2>&1)" \
	'sbatch: error: Invalid --gres-flags combo: disable-binding and enforce-binding are mutually exclusive.' \
	'both words at once'
is "$(sbatch --gres-flags=allow-task-sharing --wrap true 2>&1)" \
	'sbatch: error: --gres-flags=allow-task-sharing is only used with srun.' "a word of srun's"
like "$(sbatch --gres-flags=one-task-per-sharing --wrap true 2>&1)" 'MULTIPLE_SHARING_GRES_PJ' \
	'what needs shared GPUs says so'
is "$(sbatch --gres-flags=near --wrap true 2>&1)" 'sbatch: error: Invalid --gres-flags specification: near' \
	'any other word'
echo "NodeName=n1 Name=gpu Count=1 Cores=x" >>site/gres.conf
like "$("${SPUR%/*}/../ctl/spurctld" -t -f site/slurm.conf 2>&1)" 'gres.conf:4: Cores=x is no list of cores' \
	'a mistake in gres.conf is named'
