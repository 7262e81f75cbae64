# slow: the time limit: SIGTERM, KillWait, SIGKILL; --signal before it; what is printed and told.
file stubborn.sh <<'S'
#!/bin/bash
trap 'echo term' TERM
echo ready
for i in $(seq 3000); do sleep 0.1; done
S
file early.sh <<'S'
#!/bin/bash
trap 'echo usr1; exit 0' USR1
echo ready
for i in $(seq 3000); do sleep 0.1; done
S
sub -t 1 -o stubborn.txt stubborn.sh
a=$JOB
sub -t 1 -o plain.txt --wrap 'exec sleep 300'
b=$JOB
sub -t 1 --signal=B:USR1@30 -o early.txt early.sh
c=$JOB
for j in $c $b $a; do
	wait_end "$j" 140
	show_keys 'JobState|Reason|ExitCode|TimeLimit' scontrol show job "$j"
done
show_file early.txt
show_file plain.txt
show_file stubborn.txt
mask '/^Terminated|^Killed/d; s/AT [^ ]* DUE/AT TIME DUE/'
