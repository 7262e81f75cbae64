# shellcheck shell=bash
# lib.sh - the words a scenario is written in.
#
# A scenario is a few lines of shell that drive a cluster through the Slurm commands alone and print what they
# said.  It must not know which system answers.  It starts with an empty queue in a folder of its own.

REST=$([ -z "${COMPAT_EXPECTED:-}" ] || cat "$COMPAT_EXPECTED") # what was recorded, as far as it has not been met yet
QUIET=$COMPAT_TMP/quiet # stdout and stderr of the command being shown

# sleep SECONDS: the time that a scenario gives the cluster to do something; three times as long, for busy machines.
sleep() {
	case $1 in
	0.[2-9]* | [1-3] | [1-3].*) command sleep "$(awk -v s="$1" 'BEGIN { print s * 3 }')" ;;
	*) command sleep "$1" ;;
	esac
}

# say TEXT: a heading in the output.
say() { printf '# %s\n' "$*"; }

quoted() {
	local word text=
	for word in "$@"; do
		case $word in
		'') text+=" ''" ;;
		*[!A-Za-z0-9_./:=,%@+-]*) text+=" '${word//\'/\'\\\'\'}'" ;;
		*) text+=" $word" ;;
		esac
	done
	printf '%s' "${text# }"
}

# show CMD ARG...: the command, what it printed, its stderr marked with "! ", its exit code.  Sets rc.
show() {
	printf '$ %s\n' "$(quoted "$@")"
	"$@" >"$QUIET.out" 2>"$QUIET.err" </dev/null
	rc=$?
	cat "$QUIET.out"
	[ ! -s "$QUIET.out" ] || [ -z "$(tail -c1 "$QUIET.out")" ] || printf '\\ no newline\n'
	sed 's/^/! /' "$QUIET.err"
	printf '= %s\n' "$rc"
}

# show_sorted CMD ARG...: the same with the lines after the header sorted, where the order is an accident.
show_sorted() {
	printf '$ %s  (sorted)\n' "$(quoted "$@")"
	"$@" 2>&1 | { IFS= read -r head; printf '%s\n' "$head"; LC_ALL=C sort; }
}

# show_in TEXT CMD ARG...: the same with TEXT on its standard input.
show_in() {
	local text=$1
	shift
	printf '$ %s <<<\n' "$(quoted "$@")"
	printf '%s\n' "$text" | sed 's/^/| /'
	printf '%s\n' "$text" | "$@" >"$QUIET.out" 2>"$QUIET.err"
	rc=${PIPESTATUS[1]}
	cat "$QUIET.out"
	sed 's/^/! /' "$QUIET.err"
	printf '= %s\n' "$rc"
}

# show_file FILE: its text, so that an output file can be seen.
show_file() {
	printf '$ cat %s\n' "$1"
	if [ -e "$1" ]; then cat "$1"; else echo "(no file)"; fi
}

# show_keys 'KEY|KEY' CMD...: only the words KEY=value of the output, one a line: for records with many fields.
show_keys() {
	local keys=$1
	shift
	printf '$ %s  (only %s)\n' "$(quoted "$@")" "$keys"
	"$@" 2>&1 | grep -oE "(^|[[:space:]])($keys)=[^[:space:]]*" | sed 's/^[[:space:]]*//'
}

# sub ARG...: submit quietly; the id is in JOB.
sub() {
	JOB=$(sbatch --parsable "$@" 2>"$QUIET.err") || { echo "sbatch failed: $*"; cat "$QUIET.err"; JOB=0; }
	JOB=${JOB%%;*}
}

state_of() { squeue -h -t all -j "$1" -o %T 2>/dev/null | sort -u | paste -sd, -; }

# wait_state JOB STATE [SECONDS]: until the job (or all of an array's tasks) is in that state.
wait_state() {
	local i state=''
	for ((i = 0; i < ${3:-60} * 20; i++)); do
		state=$(state_of "$1")
		[ "$state" != "$2" ] || return 0
		sleep 0.05
	done
	echo "(waited in vain for $1 to be $2, it is ${state:-gone})"
	return 1
}

# wait_end JOB [SECONDS]: until it has ended, in whatever way.
wait_end() {
	local i state=''
	for ((i = 0; i < ${2:-60} * 20; i++)); do
		state=$(state_of "$1")
		case $state in
		*PENDING* | *RUNNING* | *COMPLETING* | *SUSPENDED* | *CONFIGURING* | *SIGNALING*) ;;
		*) return 0 ;;
		esac
		sleep 0.05
	done
	echo "(waited in vain for $1 to end, it is $state)"
	return 1
}

# wait_file FILE [SECONDS]: until it holds something.
wait_file() {
	local i
	for ((i = 0; i < ${2:-60} * 20; i++)); do
		[ ! -s "$1" ] || return 0
		sleep 0.05
	done
	echo "(waited in vain for $1)"
	return 1
}

# wait_reason JOB REASON: until squeue gives that reason.
wait_reason() {
	local i reason=
	for ((i = 0; i < 1200; i++)); do
		reason=$(squeue -h -j "$1" -o %r 2>/dev/null | head -1)
		[ "$reason" != "$2" ] || return 0
		sleep 0.05
	done
	echo "(waited in vain for $1 to wait for $2, it is $reason)"
	return 1
}

# file NAME: an executable file from standard input.
file() { cat >"$1" && chmod 755 "$1"; }

# mask SED-EXPRESSION: applied to everything this scenario prints, for what only it knows to be accidental.
mask() { printf '%s\n' "$1" >>"$COMPAT_TMP/mask"; }

# empty_queue: cancel everything, wait until every node is idle again.
empty_queue() {
	local i
	squeue -h -o %A | sort -u | xargs -r scancel 2>/dev/null
	for ((i = 0; i < 1200; i++)); do
		[ -n "$(squeue -h -o %A)$(sinfo -hN -p main -o %T | grep -vE '^(idle|reserved|maint)$')" ] || return 0
		sleep 0.05
	done
	echo "(the queue did not become empty)"
}

# nodes_idle: wait until every node is idle and answers.
nodes_idle() {
	local i
	for ((i = 0; i < 1200; i++)); do
		[ -n "$(sinfo -hN -p main -o %T | grep -vE '^(idle|reserved|maint)$')" ] || return 0
		sleep 0.05
	done
}

# run_job ARG...: show sbatch ARG..., wait for the job's end; the id is in JOB.
run_job() {
	show sbatch "$@"
	JOB=$(sed -n '1s/.* //p' "$QUIET.out")
	JOB=${JOB:-$(head -1 "$QUIET.out")}
	JOB=${JOB%%;*}
	[ "$rc" != 0 ] || wait_end "$JOB"
}

# show_unordered CMD...: as show, with the lines of its output sorted: several tasks speak in no order.
show_unordered() {
	printf '$ %s  (unordered)\n' "$(quoted "$@")"
	"$@" >"$QUIET.out" 2>"$QUIET.err" </dev/null
	rc=$?
	LC_ALL=C sort "$QUIET.out"
	LC_ALL=C sort "$QUIET.err" | sed 's/^/! /'
	printf '= %s\n' "$rc"
}

# in_alloc ARG... <<TEXT: the words of TEXT, a scenario of its own, as the command of `salloc ARG...`.
in_alloc() {
	cat >alloc.sh
	say "in salloc $(quoted "$@")"
	salloc -Q "$@" bash -c '. "$COMPAT/lib.sh"; . ./alloc.sh' </dev/null 2>&1
}

# in_batch ARG... <<TEXT: TEXT as a batch script of `sbatch ARG...`; what it printed once it has ended.
in_batch() {
	{ printf '#!/bin/bash\n'; cat; } >batch.sh
	rm -f batch.txt
	say "in sbatch $(quoted "$@")"
	sub -o batch.txt "$@" batch.sh
	wait_end "$JOB"
	cat batch.txt
}

# show_env FILE [PATTERN]: the variables of a job in FILE, an output of env, sorted; values that differ from run to run
# are masked.
show_env() {
	local shown='SLURM|SRUN|SALLOC|SBATCH|TMPDIR|CUDA_VIS|ROCR_VIS|GPU_DEV|ZE_AFF|PWD|HOSTNAME|USER|HOME|SHELL|LOGNAME'
	local numbers='SLURM_(JOB_START_TIME|JOB_END_TIME|TASK_PID|SRUN_COMM_PORT|STEP_LAUNCHER_PORT|PTY_PORT)'
	local words='SLURM_(CONF|CLUSTER_NAME|LAUNCH_NODE_IPADDR|SRUN_COMM_HOST|SRUN_COMM_KEY)|SLURMD_DEBUG|SRUN_DEBUG'
	grep -E "${2:-^($shown|ENVIRONMENT)}" "$1" | LC_ALL=C sort |
		sed -E -e "s/^($numbers)=.*/\1=N/" -e "s/^($words)=.*/\1=X/"
}

# mask_pids: process ids in what srun and the steps say.
mask_pids() { mask 's/(pid|PID|process) [0-9]+/\1 PID/g; s/\[[0-9]{3,}\]/[PID]/g'; }

# mask_steps: times and nodes in the words about a step's end.
mask_steps() { mask 's/\[YYYY-MM-DDTHH:MM:SS\] //; s/ AT YYYY-MM-DDTHH:MM:SS/ AT TIME/'; }

# mask_nodes: which node of several equal ones it was.
mask_nodes() { mask 's/error: n[1-4]: task/error: N: task/; s/ ON n[1-4] / ON N /; s/(bind=[A-Z]+ *- )n[1-4],/\1N,/'; }

# mask_killed: which tasks srun still hears of after it has given up on them.
mask_killed() { mask '/srun: error: \S+: tasks? [0-9,-]+: Killed/d'; }

# wait_step JOB.STEP [SECONDS]: until that step runs.
wait_step() {
	local i
	for ((i = 0; i < ${2:-60} * 20; i++)); do
		[ -z "$(squeue -h -s "$1" 2>/dev/null)" ] || return 0
		sleep 0.05
	done
	echo "(waited in vain for step $1)"
	return 1
}

# job_named NAME: the id of the job of that name.
job_named() {
	local i id=
	for ((i = 0; i < 1200; i++)); do
		id=$(squeue -h -n "$1" -o %A)
		[ -z "$id" ] || break
		sleep 0.05
	done
	printf '%s\n' "${id:-0}"
}

# ---- scheduling: cases of a few jobs that sleep, and a table of what became of them ----

# scene WORDS: the next case begins, nothing left of the one before.  Each case is compared for itself.
scene() {
	empty_queue
	JOBS=
	REST=$([ -z "${COMPAT_EXPECTED:-}" ] || awk -v at="== $*" '/^== / { on = $0 == at } on' "$COMPAT_EXPECTED")
	printf '== %s\n' "$*"
}

# foreseen TEXT: the recording has these lines in the rest of this case; always true if there is no recording.
# A busy machine is given time to reach what is expected; output that differs then is shown as it is.
foreseen() { [ -z "${COMPAT_EXPECTED:-}" ] || [[ $REST = *$'\n'"$(masked "$1")"* ]]; }
masked() { sed -E -f "$COMPAT_TMP/mask" <<<"$1"; }
# met TEXT: it has been shown; what comes next stands behind it.
met() { REST=${REST#*"$(masked "$1")"}; }

# job NAME ARG...: submit a job of that name that sleeps; its id is in $NAME, 0 where it was refused.
job() {
	local name=$1 id
	shift
	printf '%s: %s\n' "$name" "$(quoted "$@")"
	id=$(sbatch --parsable -J "$name" -o /dev/null "$@" --wrap 'exec sleep 900' 2>"$QUIET.err")
	sed 's/^/! /' "$QUIET.err"
	id=${id%%;*}
	printf -v "$name" '%s' "${id:-0}"
	JOBS+=${id:+${JOBS:+,}$id}
}

# runs NAME ARG...: a job that must run before the next one is submitted.
runs() {
	job "$@"
	wait_state "${!1}" RUNNING
}

# jobs_now: the jobs of this case, an array's tasks each; where they are and why.
jobs_now() {
	squeue -h -t all -j "${JOBS:-0}" -o '%4j %4K %11T %2D %3C %8N %r' 2>/dev/null |
		sed -E 's/^(\S+ +)N\/A /\1-   /; s/ +$//' | LC_ALL=C sort -V
}

# settle [foreseen]: wait until the scheduler has looked at all jobs and nothing has changed for a while; with
# `foreseen` for a shorter while, and then for the output that is foreseen, half a minute at most.
settle() {
	local i old='' new='' same=0 want patience=$((SECONDS + 30))
	want=$(awk -v s="$COMPAT_SETTLE" -v n="$((1 + 2 * (1 - $#)))" 'BEGIN { print int(n * s / 0.1) }')
	for ((i = 0; i < 900; i++)); do
		[ $same -lt "$want" ] || { [ $# = 1 ] && ! foreseen "$new" && [ $SECONDS -lt $patience ]; } || break
		sleep 0.1
		new=$(jobs_now)
		same=$((same + 1))
		[[ $new = "$old" && ! $new =~ COMPLETING|CONFIGURING ]] && ! grep -q 'PENDING.* None$' <<<"$new" || same=0
		old=$new
	done
}

# table: a line for each job, once the queue has settled: name, array index, state, nodes, CPUs, node list, reason.
table() {
	local now
	settle foreseen
	now=$(jobs_now)
	[ -z "$now" ] || printf '%s\n' "$now"
	met "$now"
}

# cores NAME...: which CPUs of which node those jobs have.
cores() {
	local name
	for name in "$@"; do
		scontrol -d show job "${!name}" | sed -nE "s/^ *(Nodes=.*CPU_IDs=[0-9,-]+).*/$name \\1/p"
	done
}

# put ARG...: where a job with these options starts, or why it waits, or what is said against it; it is cancelled again.
put() {
	keep "$@"
	[ "$JOB" = 0 ] || { scancel "$JOB"; wait_end "$JOB"; }
}

# keep ARG...: the same, and the job stays.
keep() {
	local i now least=60
	[ -z "${COMPAT_EXPECTED:-}" ] || least=10
	printf '$ sbatch %s\n' "$(quoted "$@")"
	JOB=$(sbatch --parsable -o /dev/null "$@" --wrap 'sleep 300' 2>"$QUIET.err") || JOB=0
	sed 's/^/! /' "$QUIET.err"
	[ "$JOB" != 0 ] || return 0
	for ((i = 0; i < 400; i++)); do
		[ "$(state_of "$JOB")" != RUNNING ] || break
		now=$(squeue -h -j "$JOB" -o '%T %D %N %r')
		[ $i -lt $least ] || [[ $now = *None ]] || ! foreseen "$now" || break
		sleep 0.05
	done
	now=$(squeue -h -j "$JOB" -o '%T %D %N %r')
	printf '%s\n' "$now"
	met "$now"
}

# pause: as long as the scheduler may need to look at everything once more, where there is nothing to wait for.
pause() { sleep "$(awk -v s="$COMPAT_SETTLE" 'BEGIN { print s * 1.6 }')"; }

# shape [-n NAME] CMD ARG...: the structure of the JSON that the command prints, as a case of its own.
# NAME tells cases apart that differ by a job id only.  The text itself stays in the scenario's folder.
shape() { shape_of "" "$@"; }

# values [-n NAME] CMD ARG...: the same with the values of all members that do not change from run to run.
values() { shape_of --values "$@"; }

shape_of() {
	local name='' text
	[ "$2" != -n ] || name=$3
	[ -z "$name" ] || set -- "$1" "${@:4}"
	text="$(printf '%s' "${*:2}" | sed -E 's/[0-9]{4,}/ID/')${name:+ ($name)}${1:+ (values)}"
	printf '== %s\n' "$text"
	text=${text//[^A-Za-z0-9.=-]/_}
	"${@:2}" >"$text" 2>"$QUIET.err"
	rc=$?
	# shellcheck disable=SC2086
	"$COMPAT/shape" $1 <"$text" 2>/dev/null || { echo "(no JSON)"; head -5 "$text"; }
	sed 's/^/! /' "$QUIET.err"
	printf '= %s\n' "$rc"
}

# as_yaml CMD ARG...: whether --yaml has the structure of --json.
as_yaml() {
	printf '== %s\n' "$(printf '%s' "$*" | sed -E 's/[0-9]{4,}/ID/') as YAML"
	"$@" --json | "$COMPAT/shape" >"$QUIET.json" 2>&1
	"$@" --yaml | "$COMPAT/shape" --yaml >"$QUIET.yaml" 2>&1
	diff "$QUIET.json" "$QUIET.yaml" && echo same
}
