# Options with values that will not do.
show srun -n x true
show srun -N 0 true
show srun -N 2-1 true
show srun -c 0 true
show srun -c x true
show srun --mem=x true
show srun --mem-per-cpu=x true
show srun --gres=nosuch:1 true
show srun -r x true
show srun --ntasks-per-node=x true
show srun --jobid=x true
show srun --open-mode=x true
show srun --signal=x true
show srun --time=x true
show srun --threads=x true
show srun --overcommit=x true
show srun --kill-on-bad-exit=2x true
show srun --export
show srun -D
show srun --multi-prog
show_unordered srun --comment a b c
show srun -I0x true
show srun --max-threads=x true
mask_steps
mask_nodes
