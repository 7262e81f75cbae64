# Components of a heterogeneous job: where they begin, and when they do not.
parts() { squeue -h -j "$1" -o "%i %t %D %C %N %r" | LC_ALL=C sort; }
begun() { wait_state "$1" RUNNING; parts "$1"; }
waits() { pause; parts "$1"; }
file sleep.sh <<'X'
#!/bin/bash
sleep 300
X
scene two of one node
sub -n1 : -n2 sleep.sh
begun "$JOB"
scene one of two nodes
sub -n1 : -N2 -n2 sleep.sh
begun "$JOB"
scene four of them
sub -n1 : -n1 : -n1 : -n1 sleep.sh
begun "$JOB"
scene five on four nodes
sub -n1 : -n1 : -n1 : -n1 : -n1 sleep.sh
waits "$JOB"
scene whole nodes
sub -N1 --exclusive : -N2 --exclusive sleep.sh
begun "$JOB"
scene named nodes
sub -w n3 : -n1 : -w n1 sleep.sh
begun "$JOB"
scene in a script
file parts.sh <<'X'
#!/bin/bash
#SBATCH -n2
#SBATCH hetjob
#SBATCH -n1 -t 5
#SBATCH hetjob
#SBATCH -N2
sleep 300
X
sub parts.sh
begun "$JOB"
squeue -h -j "$JOB" -o "%i %l" | LC_ALL=C sort
scene script and command line
sub -c2 : -n3 parts.sh
begun "$JOB"
scene partitions
sub -p main : -p half sleep.sh
begun "$JOB"
scene a partition that is down
sub -n1 : -p down sleep.sh
waits "$JOB"
scene one does not fit
sub -N3 --exclusive -t 30 sleep.sh
wait_state "$JOB" RUNNING
sub -N1 --exclusive -t 5 : -N1 --exclusive -t 5 sleep.sh
waits "$JOB"
scene released together
sub -H -n1 : -n1 sleep.sh
parts "$JOB"
scontrol release "$JOB"
begun "$JOB"
scene memory
sub --mem=3000 : --mem=3000 sleep.sh
begun "$JOB"
squeue -h -j "$JOB" -o "%i %m" | LC_ALL=C sort
