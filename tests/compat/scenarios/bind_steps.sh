# Steps beside each other are bound to different CPUs; batch script and steps.
cpus='grep Cpus_allowed_list /proc/self/status | tr "\t" " "'
export cpus
in_alloc -n 2 <<'S'
srun -n 1 --exact sh -c "$cpus; touch on; until [ -e off ]; do sleep 0.05; done" >one &
until [ -e on ]; do sleep 0.05; done
srun -n 1 --exact sh -c "$cpus" >two
touch off
wait
LC_ALL=C sort one two
show_unordered srun -n 2 sh -c "$cpus"
show_unordered srun -n 1 sh -c "$cpus"
show_unordered srun -n 1 --cpu-bind=cores sh -c "$cpus"
show_unordered srun -n 2 --overlap --cpu-bind=none sh -c "$cpus"
S
in_batch -n 1 <<'S'
sh -c "$cpus"
srun sh -c "$cpus"
S
