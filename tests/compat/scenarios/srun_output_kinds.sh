# -o and -e: none, all, a task's number, /dev/null, append and truncate, a file that cannot be made.
show_unordered srun -n 3 -o 1 sh -c 'echo $SLURM_PROCID; echo e$SLURM_PROCID >&2'
show_unordered srun -n 3 -o none sh -c 'echo $SLURM_PROCID; echo e$SLURM_PROCID >&2'
show_unordered srun -n 3 -e none sh -c 'echo $SLURM_PROCID; echo e$SLURM_PROCID >&2'
show_unordered srun -n 3 -o all -e 2 sh -c 'echo $SLURM_PROCID; echo e$SLURM_PROCID >&2'
show_unordered srun -n 2 -o /dev/null sh -c 'echo $SLURM_PROCID'
echo before >file
show srun -o file --open-mode=append echo after
show_file file
show srun -o file --open-mode=truncate echo after
show_file file
show srun -o file echo default
show_file file
show srun --open-mode=bogus true
show_unordered srun -o "$PWD/made/dir/file" echo x
show_file made/dir/file
show_unordered srun -o /proc/x echo x
show_unordered srun -n 2 -o 7 sh -c 'echo $SLURM_PROCID'
show srun -n 2 -o '' echo x
mask_steps
