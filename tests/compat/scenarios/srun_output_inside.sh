# Output of steps in a batch job: into the job's file by default, patterns of an array, both streams in one file.
in_batch -J arr -a 2-3 -n 2 <<'S'
srun -n 1 echo to the job
srun -o 'a-%A-%a-%t' sh -c 'echo $SLURM_PROCID'
srun -o 'j-%x-%s' echo x
srun -o same -e same --open-mode=append sh -c 'echo o; echo e >&2'
S
LC_ALL=C sort same | uniq -c
ls | grep -E '^[aj]-' | sed -E 's/^(a)-[0-9]{4}/\1-ID/'
in_batch -n 2 -e err.txt <<'S'
srun -n 1 sh -c 'echo o; echo e >&2'
srun -l -o lab sh -c 'echo $SLURM_PROCID'
srun -n 1 -e step.err sh -c 'echo o2; echo e2 >&2'
S
show_file err.txt
show_file step.err
LC_ALL=C sort lab
