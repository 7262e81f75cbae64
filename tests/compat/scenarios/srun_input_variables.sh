# SLURM_* variables as options of srun; the command line wins.
t='echo "$SLURM_NTASKS $SLURM_NNODES $SLURM_JOB_PARTITION $SLURM_JOB_NAME"'
with() { printf '$ %s\n' "$(quoted "$@")"; env "$@" >out 2>err </dev/null; rc=$?; LC_ALL=C sort out; sed 's/^/! /' \
	err; echo "= $rc"; }
with SLURM_NTASKS=3 srun sh -c "$t"
with SLURM_NPROCS=2 srun sh -c "$t"
with SLURM_NTASKS=3 srun -n 2 sh -c "$t"
with SLURM_NNODES=2 srun sh -c "$t"
with SLURM_JOB_NUM_NODES=2 srun sh -c "$t"
with SLURM_PARTITION=short srun sh -c "$t"
with SLURM_JOB_NAME=byenv srun sh -c "$t"
with SLURM_LABELIO=1 srun -n 2 echo x
with SLURM_STDOUTMODE=file.txt srun echo into a file
show_file file.txt
with SLURM_STDINMODE=file.txt srun cat
with SLURM_STDERRMODE=none srun sh -c 'echo o; echo e >&2'
with SLURM_WORKING_DIR=/usr srun pwd
with SLURM_CPUS_PER_TASK=2 srun sh -c 'echo $SLURM_CPUS_PER_TASK $SLURM_CPUS_ON_NODE'
with SRUN_CPUS_PER_TASK=2 srun sh -c 'echo $SLURM_CPUS_PER_TASK $SLURM_CPUS_ON_NODE'
with SLURM_DISTRIBUTION=cyclic SLURM_NTASKS=4 srun -N 2 sh -c 'echo $SLURM_GTIDS'
with SLURM_TIMELIMIT=x srun true
with SLURM_NTASKS=x srun true
with SLURM_KILL_BAD_EXIT=1 srun -n 2 sh -c '[ $SLURM_PROCID = 1 ] && exit 4; exec sleep 10'
with SLURM_GRES=gpu:1 srun sh -c 'echo $CUDA_VISIBLE_DEVICES'
with SLURM_OPEN_MODE=a SLURM_STDOUTMODE=file.txt srun echo appended
show_file file.txt
mask_steps
mask_nodes
