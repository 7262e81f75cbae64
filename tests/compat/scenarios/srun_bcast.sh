# --bcast copies the program to the nodes first.
file prog <<'S'
#!/bin/sh
echo "$SLURM_PROCID runs $0"
S
show_unordered srun -n 2 -N 2 --bcast="$PWD/copy" ./prog
ls copy* 2>/dev/null
show_unordered srun --bcast="$PWD/copy2" "$PWD/prog"
ls copy* 2>/dev/null
mkdir -p into
show_unordered srun --bcast="$PWD/into/" ./prog
ls into
show_unordered srun --bcast="$PWD/made/dir/file" ./prog
show_unordered srun --bcast=relative ./prog
show_unordered srun --bcast="$PWD/copy3" nosuchprog
mask_steps
mask 's/slurm_bcast_[A-Za-z0-9_.]+/slurm_bcast_NAME/'
