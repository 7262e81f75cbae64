# scancel -s: names, numbers, which processes receive them.
file job.sh <<'S'
#!/bin/bash
trap 'echo "script usr2"' USR2
trap 'echo "script cont"' CONT
bash -c 'trap "echo child usr2" USR2; echo ready; for i in $(seq 2000); do sleep 0.05; done' &
while :; do wait -n; [ $? -gt 128 ] || break; done
S
sub -o out.txt job.sh
wait_file out.txt
sleep 0.3
show scancel -s USR2 "$JOB"
sleep 0.5
show_file out.txt
show scancel -b -s USR2 "$JOB"
sleep 0.5
show_file out.txt
show scancel -f -s SIGUSR2 "$JOB"
sleep 0.5
LC_ALL=C sort out.txt
show scancel -s 12 -b "$JOB"
show scancel -s usr2 -b "$JOB"
show scancel -s nosuch "$JOB"
show scancel -s 0 "$JOB"
show squeue -h -j "$JOB" -o %T
show scancel "$JOB"
wait_end "$JOB"
show_keys 'JobState|ExitCode|Reason' scontrol show job "$JOB"
sub -H --wrap true
show scancel -s KILL "$JOB"
show squeue -h -t all -j "$JOB" -o %T
mask '/^User defined signal|^Terminated/d'
