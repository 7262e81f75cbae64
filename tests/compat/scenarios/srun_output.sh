# srun --output, --error, --input and their patterns.
show srun -o out.txt echo hello
show_file out.txt
show srun -o out.txt -e err.txt sh -c 'echo o; echo e >&2'
show_file out.txt
show_file err.txt
show srun -n 2 -o 'task-%t.txt' sh -c 'echo "I am $SLURM_PROCID"'
show_file task-0.txt
show_file task-1.txt
show srun -n 2 -o 'job-%j-%s-%N-%n.txt' sh -c 'echo x'
for f in job-*; do echo "$f: $(cat "$f" | paste -sd' ')"; done
show srun -n 2 -o every.txt -l sh -c 'echo "$SLURM_PROCID"'
LC_ALL=C sort every.txt
echo given >in.txt
show srun -i in.txt cat
show srun -n 2 -i in.txt cat
show srun -n 2 -i none cat
show_in 'one line' srun -n 2 -i 1 -l cat
show srun -n 2 -o 1 sh -c 'echo "task $SLURM_PROCID"'
show srun -o none echo nothing
show srun -o all echo all
show srun --open-mode=append -o out.txt echo more
show_file out.txt
