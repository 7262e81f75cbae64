# SLURM_EXIT_ERROR and SLURM_EXIT_IMMEDIATE change srun's own exit codes.
sub -N 4 --exclusive -o /dev/null --wrap 'sleep 300'
wait_state "$JOB" RUNNING
with() { printf '$ %s\n' "$(quoted "$@")"; env "$@" >out 2>err </dev/null; rc=$?; cat out; sed 's/^/! /' err; echo \
	"= $rc"; }
with SLURM_EXIT_IMMEDIATE=9 srun -I true
with SLURM_EXIT_ERROR=8 srun -I true
with SLURM_EXIT_ERROR=8 srun -p nosuch true
with SLURM_EXIT_ERROR=8 srun --nosuch true
with SLURM_EXIT_ERROR=8 srun -n x true
scancel "$JOB"
wait_end "$JOB"
nodes_idle
with SLURM_EXIT_ERROR=8 srun sh -c 'exit 3'
with SLURM_EXIT_ERROR=x srun sh -c 'exit 3'
in_alloc -n 1 <<'S'
srun --overlap sleep 100 2>/dev/null &
wait_step "$SLURM_JOB_ID.0"
export SLURM_EXIT_IMMEDIATE=9 SLURM_EXIT_ERROR=8
show srun -n 9 true
show srun -N 7 true
S
mask_nodes
