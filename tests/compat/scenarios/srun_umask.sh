# umask, working folder, niceness and open files travel to the task.
umask 027
show srun sh -c 'umask; echo $SLURM_UMASK; touch made; stat -c %a made'
show srun -o outfile echo x
stat -c %a outfile
umask 022
mkdir -p sub
cd sub
show srun sh -c 'basename $PWD'
cd ..
show srun -D sub sh -c 'basename "$(pwd)"'
show srun -D ./sub sh -c 'basename "$(pwd)"'
show srun --chdir=/usr pwd
show srun sh -c 'ulimit -n >/dev/null && ls /proc/self/fd | wc -l'
show sh -c 'ulimit -S -n 99; srun sh -c "ulimit -n"'
show sh -c 'ulimit -S -s 1024; srun sh -c "ulimit -s"'
show sh -c 'nice -n 5 srun nice'
