# Every pattern of -o, -e; what makes a file of each task, node, or one of all.
names() { for f in "$@"; do echo "$f: $(LC_ALL=C sort "$f" | paste -sd' ')"; done; }
t='echo "$SLURM_PROCID"'
show srun -n 2 -N 2 -o '1-%j-%J-%s-%t' sh -c "$t"
names 1-*
show srun -n 3 -N 2 -o '2-%N-%n' sh -c "$t"
names 2-*
show srun -n 2 -J jname -o '3-%x-%u-%A' sh -c "$t"
names 3-*
show srun -n 2 -o '4-%3t-%05j' sh -c "$t"
names 4-*
show srun -n 2 -o '5-%%-%z' sh -c "$t"
names 5-*
show srun -n 2 -o '6-%a-%A' sh -c "$t"
names 6-*
show srun -n 2 -o 7-out-%t -e 7-err-%t sh -c "$t; $t >&2"
names 7-*
show srun -n 2 -o 8-both sh -c "$t; $t >&2"
names 8-both
show srun -n 2 -o 'sub/dir/9-%t' sh -c "$t"
names sub/dir/*
show srun -n 2 -o '\10-%t' sh -c "$t"
ls 10*
mask 's/^4-(00.)-0[0-9]{4}/4-\1-0JOB/'
