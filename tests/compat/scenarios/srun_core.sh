# A core dump is said so; --propagate decides whether there is one.
ulimit -c unlimited
show_unordered srun sh -c 'ulimit -c; kill -SEGV $$'
rm -f core*
ulimit -S -c 0
show_unordered srun sh -c 'ulimit -c; kill -SEGV $$'
ulimit -S -c 100
show srun sh -c 'ulimit -c'
show srun --propagate=NONE sh -c '[ "$(ulimit -c)" = 100 ] && echo passed on || echo own'
show srun --propagate=CORE sh -c 'ulimit -c'
show srun --propagate=NOFILE sh -c '[ "$(ulimit -c)" = 100 ] && echo passed on || echo own'
show srun --propagate sh -c 'ulimit -c'
show srun --propagate=ALL sh -c 'ulimit -c'
show srun --propagate=BOGUS true
SLURM_PROPAGATE=NONE show srun sh -c '[ "$(ulimit -c)" = 100 ] && echo passed on || echo own'
rm -f core*
mask_nodes
