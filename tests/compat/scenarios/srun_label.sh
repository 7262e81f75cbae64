# -l: the width of the label, several lines, no newline at the end, stderr, with -u.
show_unordered srun -n 3 -l sh -c 'echo one; echo two; printf three'
show_unordered srun -n 2 -l sh -c 'echo bad >&2; echo good'
show_unordered srun -n 12 --overcommit -N 1 -l sh -c 'echo $SLURM_PROCID'
show_unordered srun -n 2 -l -u sh -c 'echo x; echo y'
show_unordered srun -n 2 -l sh -c 'echo; echo a; echo'
SLURM_LABELIO=1 show_unordered srun -n 2 echo by environment
show srun -l sh -c 'printf a; sleep 0.3; printf b; sleep 0.3; echo c'
