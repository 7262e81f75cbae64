# --multi-prog: ranks, lists, *, %t and %o, quotes, comments, continued lines.
cat >conf <<'S'
# a comment
0      echo first %t %o

1,2    echo middle %t %o
3-4    sh -c 'echo "quoted $SLURM_PROCID" %t'
*      echo rest %t %o
S
show_unordered srun -n 6 -l --multi-prog conf
show_unordered srun -n 3 -l --multi-prog conf
printf '0-1 echo a \\\n b\n' >conf
show_unordered srun -n 2 --multi-prog conf
printf '0 sh -c "exit 3"\n1 true\n' >conf
show_unordered srun -n 2 --multi-prog conf
printf '* echo %%t of %%o: $SLURM_PROCID %%%%\n' >conf
show_unordered srun -n 2 --multi-prog conf
printf '0-3 echo %%t %%o\n' >conf
show_unordered srun -n 4 -N 2 -m cyclic --multi-prog conf
