# --multi-prog in an allocation: the count of tasks is the allocation's; programs with paths and arguments.
file prog <<'S'
#!/bin/sh
echo "prog $SLURM_PROCID got $# arguments: $*"
S
cat >conf <<S
0    ./prog a b
1    $PWD/prog %t "%o" 'x y'
2-3  prog %o
S
in_alloc -N 2 -n 4 <<'S'
show_unordered srun --multi-prog conf
export PATH="$PWD:$PATH"
show_unordered srun --multi-prog ./conf
show_unordered srun -n 2 --multi-prog conf
show_unordered srun --multi-prog conf extra words
S
printf '0 echo tab\there\n  1   echo   many    blanks  \n2\techo tab first\n' >conf
show_unordered srun -n 3 --multi-prog conf
printf '0,2 echo %%o\n1,3 echo %%o\n' >conf
show_unordered srun -n 4 -l --multi-prog conf
mask_steps
mask_nodes
