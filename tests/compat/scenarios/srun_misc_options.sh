# --test-only, -X, -u, --jobid, -q, --comment and the like.
show srun --test-only -n 2 true
show srun --test-only -n 99 -N 1 true
show srun --test-only -p nosuch true
as() { setpriv --reuid=games --regid=games --clear-groups env HOME=/ USER=games LOGNAME=games "$@"; }
chmod 777 .
show as srun sh -c 'id -un; id -gn; echo $SLURM_JOB_USER $SLURM_JOB_UID; umask'
show srun -u sh -c 'echo unbuffered'
show srun -n 2 -O echo overcommit
show srun --comment='some words' --nice=5 sh -c 'scontrol show job $SLURM_JOB_ID | grep -o "Nice=5"'
show srun -E=0x true
show srun --disable-status echo x
show srun --usage
show srun -v -Q true
mask 's/JobId|Job [0-9]+/&/; s/processors on nodes? n[][0-9,-]+/processors on nodes N/; s/to start at \S+/to start at TIME/; s/[Jj]ob [0-9]+ to start/job N to start/; s/ J[0-9]{3} to start/ N to start/'
