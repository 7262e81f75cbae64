# SALLOC_* variables as options of salloc; the command line wins.
t='echo "$SLURM_JOB_PARTITION $SLURM_JOB_NAME $SLURM_JOB_NUM_NODES"; squeue -h -j $SLURM_JOB_ID -o "%l %a"'
with() { printf '$ %s\n' "$(quoted "$@")"; env "$@" >out 2>err </dev/null; rc=$?; cat out; sed 's/^/! /' err; echo \
	"= $rc"; }
with SALLOC_PARTITION=short salloc -Q sh -c "$t"
with SALLOC_PARTITION=short salloc -Q -p main sh -c "$t"
with SALLOC_TIMELIMIT=7 salloc -Q sh -c "$t"
with SALLOC_TIMELIMIT=x salloc true
with SALLOC_ACCOUNT=acc salloc -Q sh -c "$t"
with SALLOC_EXCLUSIVE= salloc -Q sh -c 'echo $SLURM_JOB_CPUS_PER_NODE'
with SALLOC_GRES=gpu:2 salloc -Q sh -c 'scontrol show job $SLURM_JOB_ID | grep TresPerNode'
with SALLOC_MEM_PER_CPU=50 salloc -Q sh -c 'echo $SLURM_MEM_PER_CPU'
with SALLOC_NO_BELL=1 salloc -Q true
with SALLOC_IMMEDIATE=1 salloc -N 4 -Q sh -c "$t"
with SLURM_EXIT_IMMEDIATE=9 salloc -I -N 9 true
with SLURM_EXIT_ERROR=8 salloc -p nosuch true
mask '/has been revoked/d'
