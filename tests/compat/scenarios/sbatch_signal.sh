# Signals to a job: by scancel, with and without -b; traps.
file job.sh <<'S'
#!/bin/bash
trap 'echo usr1' USR1
trap 'echo term; exit 5' TERM
echo ready
for i in $(seq 900); do sleep 0.1; done
S
sub -o out.txt job.sh
wait_file out.txt
show scancel -b -s USR1 "$JOB"
sleep 0.5
show scancel --signal=USR1 --batch "$JOB"
sleep 0.5
show_file out.txt
show squeue -h -j "$JOB" -o %T
show scancel -f "$JOB"
wait_end "$JOB"
show_file out.txt
show_keys 'JobState|ExitCode|Reason' scontrol show job "$JOB"
sub -o out2.txt job.sh
wait_file out2.txt
show scancel "$JOB"
wait_end "$JOB"
show_file out2.txt
show_keys 'JobState|ExitCode|Reason' scontrol show job "$JOB"
mask '/^slurmstepd-HOST: |^slurmstepd: /s/ AT .*/ AT TIME DUE TO SIGNAL/'
mask '/^Terminated/d'
