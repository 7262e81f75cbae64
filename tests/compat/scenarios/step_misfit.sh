# Steps that can never fit the allocation.
in_alloc -N 2 -n 4 <<'S'
show srun -n 100 true
show srun -N 3 true
show srun -w n4 true
show srun -w n1,n4 -N 2 true
show srun -r 2 true
show srun -r 1 -N 2 true
show srun -n 1 -c 99 true
show srun -n 1 --gres=gpu:9 true
show srun -x n1,n2 true
show srun -p short true
show srun -w nosuch true
S
