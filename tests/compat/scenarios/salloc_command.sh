# salloc's command: its folder, arguments, environment; srun below; an allocation in an allocation.
mkdir -p sub
show salloc -Q -D "$PWD/sub" pwd
show salloc -Q sh -c 'echo "$# $1"' x 'two words'
show_unordered salloc -Q -n 2 srun -l echo x
show salloc -Q -N 2 srun -N 1 -n 1 sh -c 'echo $SLURM_JOB_NUM_NODES $SLURM_NNODES'
show salloc -Q sh -c 'salloc -Q sh -c "echo \$SLURM_JOB_ID" >inner; [ "$(cat inner)" != "$SLURM_JOB_ID" ] && echo another job'
show salloc -Q sh -c 'sbatch --parsable -H -J below --wrap true >/dev/null; squeue -h -o %j -n below; scancel -n below'
show salloc -Q sh -c 'srun sh -c "exit 3"; srun sh -c "exit 4"'
show salloc -Q -n 4 sh -c 'srun -n 2 sh -c "echo \$SLURM_NTASKS"; echo $SLURM_NTASKS'
show salloc -Q -J x -t 3 -p short sh -c 'squeue -h -j $SLURM_JOB_ID -o "%j %l %P"'
show salloc -Q bash -c 'trap "echo exiting" EXIT; exit 2'
show salloc -V
show salloc --usage
mask_nodes
