# The SLURM_* environment of a batch job: names and values.
mask 's/^(SLURM_JOB_START_TIME|SLURM_JOB_END_TIME|SLURM_TASK_PID)=.*/\1=N/; s/^(SLURM_CONF|SLURMD_DEBUG|SLURM_CLUSTER_NAME)=.*/\1=X/; s/^(SLURM_TOPOLOGY_ADDR)=(.*)/\1=\2/'
look() {
	run_job --parsable -o env.txt "$@" --wrap 'env | grep -E "^(SLURM|SBATCH|SRUN|ENVIRONMENT|TMPDIR|CUDA_VIS|ROCR_VIS|GPU_DEV|ZE_AFF|PWD|HOSTNAME|USER|HOME|SHELL|LOGNAME)"'
	LC_ALL=C sort env.txt
	rm -f env.txt
}
look
look -J named -N 2 -n 5 -c 1 -t 10 -p short --mem=100
look --ntasks-per-node=2 -N 2 --gres=gpu:2
look --array=3-5:2%1 -n 2
look -A acct --comment words --export=NONE --mem-per-cpu=50 -c 2
look --exclusive --gpus=1 --nice=3 --signal=B:USR1@10
