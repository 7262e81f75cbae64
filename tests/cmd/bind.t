#!/usr/bin/env bash
# bind: tasks run on the CPUs that are theirs, see the GPUs that are theirs, and are told so.
. "$(dirname "$0")/lib.sh"
[ "$(nproc)" -ge 2 ] || skip_all "one CPU leaves nothing to bind to"
plan 49

# n1 is this machine's first two CPUs; n2 has CPUs that are not there.
ports 2
CONF=$TMP/bind.conf
cat >"$CONF" <<END
ClusterName=test
SlurmctldHost=$HOST(127.0.0.1)
SlurmdParameters=config_overrides
ReturnToService=2
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
NodeName=n1 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$PORT Sockets=1 CoresPerSocket=2 RealMemory=4000 Gres=gpu:4
NodeName=n2 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((PORT + 1)) Sockets=64 CoresPerSocket=64 RealMemory=4000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=free Nodes=ALL CpuBind=none State=UP
END
cluster bind --conf "$CONF"
mapfile -t cpu < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
	awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
a=${cpu[0]} b=${cpu[1]}
mask() { printf '0x%x' "$1"; }
ma=$(mask $((1 << a))) mb=$(mask $((1 << b))) mab=$(mask $((1 << a | 1 << b)))
all=$(mask "0x$(taskset -p $$ | sed 's/.*: //')")

# Which cores and GPUs a step gets depends on what the one before has given back.
idle() { await "" 10 squeue -h; }
# bound OPTIONS...: the mask of each task, in order.
bound() {
	[ -n "${SLURM_JOB_ID-}" ] || idle
	srun -N 1 -w n1 "$@" sh -c 'echo "$SLURM_PROCID 0x$(taskset -p $$ | sed "s/.*: //")"' |
		sort -n | cut -d' ' -f2 | paste -sd' ' -
}

is "$(bound -n 1)" "$ma" "one task: the one core it was given"
is "$(bound -n 2)" "$ma $mb" "two tasks: a core each"
is "$(bound -n 1 -c 2)" "$mab" "a task of two CPUs has both"
is "$(bound -n 2 --cpu-bind=cores)" "$ma $mb" "--cpu-bind=cores"
is "$(bound -n 2 --cpu-bind=sockets)" "$mab $mab" "--cpu-bind=sockets: all that it has of the socket"
is "$(bound -n 2 --cpu-bind=none)" "$all $all" "--cpu-bind=none: not at all"
is "$(bound -n 2 --cpu-bind="map_cpu:$b,$a")" "$mb $ma" "--cpu-bind=map_cpu"
is "$(bound -n 2 --cpu-bind="mask_cpu:$mb,$mab")" "$mb $mab" "--cpu-bind=mask_cpu"
idle
said=$(srun -N 1 -w n1 -n 1 --cpu-bind="map_cpu:$b" true 2>&1 | sort; echo "${PIPESTATUS[0]}")
last=$(($(scontrol show config | sed -n 's/^NEXT_JOB_ID *= //p') - 1))
is "$said" "srun: Job step aborted
srun: error: Application launch failed: Unable to satisfy cpu bind request
srun: error: CPU binding outside of job step allocation, allocated CPUs are: $ma.
srun: error: Task launch for StepId=$last.0 failed on node n1: Unable to satisfy cpu bind request
192" "a map of CPUs that the step has not"
export -f bound
is "$(idle; salloc -Q -N 1 -w n1 -n 2 bash -c 'bound -n 3 -O')" "$mab $mab $mab" "three tasks on two cores share them"
is "$(idle; salloc -Q -N 1 -w n1 -n 2 bash -c 'bound -n 3 -O --cpu-bind=cores')" "$ma $mb $ma" "or take turns"
is "$(bound -n 2 -p free)" "$all $all" "a partition's CpuBind"
is "$(SLURM_CPU_BIND=none bound -n 2)" "$all $all" "by the environment"
is "$(bound -n 2 --hint=nomultithread)" "$ma $mb" "--hint=nomultithread"

idle
said=$(srun -N 1 -w n1 -n 2 --cpu-bind=verbose true 2>&1 | sed 's/\[[0-9]*\]/[PID]/' | sort)
is "$said" "cpu-bind=MASK - n1, task  0  0 [PID]: mask $ma set
cpu-bind=MASK - n1, task  1  1 [PID]: mask $mb set" "--cpu-bind=verbose says what was set"
like "$(srun -w n1 --cpu-bind=v,none true 2>&1)" "^cpu-bind=NONE - n1, task  0  0 \[[0-9]+\]: mask $all$" \
	"and that nothing was"
like "$(srun -w n1 --mem-bind=v,local true 2>&1)" "^mem-bind=LOC - n1, task  0  0 \[[0-9]+\]: mask 0x[0-9a-f]+ set$" \
	"--mem-bind=verbose,local"
if [ -r /proc/self/numa_maps ]; then
	is "$(srun -w n1 --mem-bind=map_mem:0 cut -d' ' -f2 /proc/self/numa_maps | sort -u)" "bind:0" \
		"memory comes from the NUMA node that was asked for"
else
	skip 1 "no /proc/self/numa_maps"
fi
is "$(srun -w n1 -n 2 sh -c 'echo "$SLURM_CPU_BIND_VERBOSE $SLURM_CPU_BIND_TYPE"' | sort -u)" "quiet mask_cpu:" \
	"tasks are told how they are bound"
idle
sub -w n1 -n 1 -o "$TMP/batch" --wrap 'taskset -p $$ | sed "s/.*: //"'
becomes "$JOB" COMPLETED "a batch script"
is "0x$(cat "$TMP/batch")" "$ma" "runs on the CPUs of its job"

idle
is "$(srun -w n2 -n 1 --cpu-bind=v,map_cpu:0 true 2>&1 | wc -l)" 1 "a node with more CPUs than the machine runs tasks"
idle
is "$(srun -w n2 -N1 -n 64 -m block:cyclic sh -c 'taskset -p $$ | sed "s/.*: //"' | sort | uniq -c | sort -rn |
	head -n 1 | tr -s ' ')" " 63 ${all#0x}" "those on CPUs that are not there are not bound"
like "$(grep -c 'more CPUs than this machine' "$DIR/log/node-n2.log")" "^1$" "which its agent says once"

# GPUs
gpus() {
	local lists='$CUDA_VISIBLE_DEVICES/$ROCR_VISIBLE_DEVICES/$ZE_AFFINITY_MASK/$SLURM_STEP_GPUS/$SLURM_GPUS_ON_NODE'
	idle
	srun -N 1 -w n1 "$@" sh -c "echo \"\$SLURM_PROCID $lists\"" 2>&1 | sort -n | cut -d' ' -f2- | paste -sd' ' -
}
is "$(gpus -n 2 --gpus=2)" "0,1/0,1/0,1/0,1/2 0,1/0,1/0,1/0,1/2" "every task sees the step's GPUs"
is "$(gpus -n 2 --gpus-per-task=1)" "0/0/0/0/2 1/1/1/1/2" "--gpus-per-task: its own"
is "$(gpus -n 2 --gpus=2 --gpu-bind=single:1)" "0/0/0/0/2 1/1/1/1/2" "--gpu-bind=single"
is "$(gpus -n 2 --gpus=2 --gpu-bind=map:1,0)" "1/1/1/1/2 0/0/0/0/2" "--gpu-bind=map"
is "$(gpus -n 2 --gpus=2 --gpu-bind=mask:0x2,0x3)" "1/1/1/1/2 0,1/0,1/0,1/0,1/2" "--gpu-bind=mask"
is "$(gpus -n 2 --gpus-per-task=2)" "0,1/0,1/0,1/0,1/4 2,3/2,3/2,3/2,3/4" "two each"
is "$(gpus -n 2 --gpus-per-task=1 --gpu-bind=none)" "0,1/0,1/0,1/0,1/2 0,1/0,1/0,1/0,1/2" "--gpu-bind=none"
idle
like "$(srun -w n1 --gpus=2 --gpu-bind=map:3 true 2>&1)" \
	"does not specify any devices within the allocation for task 0" "a GPU that is not the step's"
idle
is "$(srun -w n1 --gpus=1 --gpu-bind=verbose,single:1 true 2>&1)" \
	"gpu-bind: usable_gres=0x1; bit_alloc=0x1; local_inx=0; global_list=0; local_list=0" "--gpu-bind=verbose"

# Training, and twins
idle
train='echo "$RANK/$WORLD_SIZE/$LOCAL_RANK/$LOCAL_WORLD_SIZE/$GROUP_RANK/$MASTER_ADDR"'
is "$(srun -N 2 -n 3 -m plane=2 sh -c "$train" | sort | paste -sd' ' -)" \
	"0/3/0/2/0/127.0.0.1 1/3/1/2/0/127.0.0.1 2/3/0/1/1/127.0.0.1" "what training asks for"
ports=$(srun -N 2 -n 2 sh -c 'echo "$MASTER_PORT"' | sort -u)
like "$ports" "^2[0-9]{4}$" "one port for the step, in its range"
is "$(MASTER_ADDR=mine RANK=7 srun sh -c 'echo "$MASTER_ADDR $RANK"')" "mine 7" "what the user has set stays"
is "$(SPUR_TRAINING_ENV=0 srun sh -c 'echo "${RANK-none}"')" "none" "SPUR_TRAINING_ENV=0 turns it off"
is "$(srun sh -c 'srun --overlap -n 1 sh -c "echo \$RANK \$MASTER_PORT"; echo $MASTER_PORT' | paste -sd' ' - |
	awk '{ print $1, $2 != $3 }')" "0 1" "a step inside a step has its own"
ours='$SPUR_JOB_ID.$SPUR_STEP_ID.$SPUR_PROCID.$SPUR_NTASKS'
is "$(srun -n 2 -w n1 sh -c "[ $ours = ${ours//SPUR/SLURM} ] && echo same" |
	uniq -c | tr -s ' ')" " 2 same" "SPUR_ twins"

# What is wrong is said
while IFS='|' read -r option code words; do
	said=$(srun "$option" true 2>&1)
	is "$? ${said%%$'\n'*}" "$code $words" "srun $option"
done <<'END'
--cpu-bind=xx|1|srun: error: unrecognized --cpu-bind argument "xx"
--cpu-bind=map_cpu:x|1|srun: error: Failed to validate number: x, the offending character is x
--mem-bind=q,xx|255|srun: error: unrecognized --mem-bind argument "xx"
--hint=xx|1|srun: error: unrecognized --hint argument "xx", see --hint=help
--distribution=block:xx|255|srun: error: Invalid --distribution specification
--gpu-bind=xx|255|srun: error: Invalid --gpu-bind argument: xx
--accel-bind=q|255|srun: error: Invalid --accel-bind specification
END

# gres.conf says which GPUs are close to which cores, and which list tells a process its GPUs.
mkdir "$TMP/near.d"
sed '/NodeName=n2/d; s/Nodes=ALL/Nodes=n1/' "$CONF" >"$TMP/near.d/slurm.conf"
printf 'NodeName=n1 Name=gpu Count=2 Cores=%s Flags=amd_gpu_env\n' 1 0 >"$TMP/near.d/gres.conf"
cluster near --conf "$TMP/near.d/slurm.conf"
close() {
	idle
	srun -w n1 -n 2 --gpus=4 "$@" sh -c 'echo "$SLURM_PROCID $ROCR_VISIBLE_DEVICES/${CUDA_VISIBLE_DEVICES-none}"' |
		sort -n | cut -d' ' -f2 | paste -sd' ' -
}
is "$(close --gpu-bind=closest)" "2,3/none 0,1/none" \
	"--gpu-bind=closest: those of the task's own cores, in AMD's list alone"
is "$(close --gpu-bind=single:1)" "2/none 0/none" "--gpu-bind=single: one of those"
is "$(close --accel-bind=g)" "2,3/none 0,1/none" "--accel-bind=g"
