# -K and -W: what becomes of the others when a task ends badly.
show_unordered srun -n 2 -K sh -c '[ $SLURM_PROCID = 0 ] && exit 5; exec sleep 60'
show_unordered srun -n 2 --kill-on-bad-exit=1 sh -c '[ $SLURM_PROCID = 0 ] && kill -9 $$; exec sleep 60'
show_unordered srun -n 2 --kill-on-bad-exit=0 sh -c '[ $SLURM_PROCID = 0 ] && exit 5; sleep 0.5; echo lives'
show_unordered srun -n 2 sh -c '[ $SLURM_PROCID = 0 ] && exit 5; sleep 0.5; echo lives'
show_unordered srun -n 2 -W 1 sh -c '[ $SLURM_PROCID = 0 ] && exit 0; exec sleep 60'
show_unordered srun -n 2 -W 1 -K sh -c '[ $SLURM_PROCID = 0 ] && exit 0; sleep 0.3; echo in time'
show srun -K=x true
show srun -W x true
mask_steps
