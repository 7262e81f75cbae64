# The rest of squeue: versions, help, wrong options, abbreviations.
sub -J held -H --wrap true
show squeue -V
show squeue --version
show squeue --usage
show squeue --nosuch
show squeue -9
show squeue --nohead
show squeue --no
show squeue --user=root -h -o %j
show squeue --us=root -h -o %j
show squeue --state PD -h -o %j
show squeue --jobs= -h -o %j
show squeue -o
show squeue -h -o %j --hide
show squeue -h -o %j --all
show squeue -h -o '%j %P' --priority
show squeue -i 0
