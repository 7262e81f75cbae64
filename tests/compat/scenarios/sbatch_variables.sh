# SBATCH_* variables as defaults of the options.
one() {
	show env "$1" sbatch -H --parsable --wrap true
	[ "$rc" != 0 ] || squeue -h -j "$(cat "$QUIET.out")" -o "  $2"
}
one SBATCH_PARTITION=short %P
one SBATCH_JOB_NAME=named %j
one SBATCH_TIMELIMIT=17 %l
one SBATCH_ACCOUNT=acct %a
one SBATCH_QOS=normal %q
one SBATCH_ARRAY_INX=1-3 %i
one SBATCH_CONSTRAINT=nosuch %f
one SBATCH_EXCLUSIVE=1 %h
one SBATCH_GRES=gpu:2 %b
one SBATCH_GPUS=2 %b
one SBATCH_MEM_PER_NODE=300 %m
one SBATCH_MEM_PER_CPU=70 %m
one SBATCH_NO_REQUEUE=1 %j
one SBATCH_REQUEUE=1 %j
one SBATCH_WCKEY=key %w
one SBATCH_OVERCOMMIT=1 %C
one SBATCH_RESERVATION=nosuch %v
one SBATCH_OPEN_MODE=a %j
one SBATCH_DEBUG=0 %j
one SBATCH_EXPORT=NONE %j
one SBATCH_OUTPUT=somewhere.txt %j
squeue -h -S -i -O stdout:90 | head -1 | sed 's/ *$//'
one SBATCH_SIGNAL=10@20 %j
one SBATCH_NOSUCH=1 %j
one SBATCH_TIMELIMIT=nosuch %l
one SBATCH_PARTITION=nosuch %P
one SBATCH_TIMELIMIT= %l
one SLURM_NTASKS=3 %C
one SLURM_PARTITION=short %P
