sub -J h1 -H --wrap true
for i in 1 2 3 4; do sub -n 4 --wrap 'sleep 9'; wait_state $JOB RUNNING; done
sub -J h2 -H --wrap true
sub -J a -H --array=1-3 --wrap true
show squeue -h -S '' -o '%A %i %t'
show squeue -h -r -S '' -o '%A %i %t'
show squeue -h -r  -o '%A %i %t'
show squeue -h -r -S i  -o '%A %i %t'
scontrol release $JOB
sleep 0.3
show squeue -h -S '' -o '%A %i %t'
show squeue -h -r -S '' -o '%A %i %t'
show squeue -h -t all -j 1 -o '%A %i %t'
show scontrol show job -o
