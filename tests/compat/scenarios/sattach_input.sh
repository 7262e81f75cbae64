# sattach gives its standard input to the step, beside srun's.
sleep 12 | srun -J att -n 2 sh -c 'touch up.$SLURM_PROCID; read x; echo "$SLURM_PROCID read $x"' >job.txt &
until [ -e up.0 ] && [ -e up.1 ]; do sleep 0.05; done
JOB=$(job_named att)
(sleep 0.5; echo hello; sleep 1) | timeout 60 sattach -l "$JOB.0" >out 2>err
echo "= $?"
LC_ALL=C sort out
sed 's/^/! /' err
wait
say srun itself
LC_ALL=C sort job.txt
