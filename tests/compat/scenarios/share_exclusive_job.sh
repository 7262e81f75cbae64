# --exclusive in each kind of partition.
scene where all share
job a -p two -w n1 -n 1 --exclusive
job b -p two -w n1 -n 1
table
show squeue -h -j "$a" -o '%h %C'
show_keys 'OverSubscribe|Exclusive|NumCPUs' scontrol show job "$a"
scene where one may ask
job a -p yes -w n1 -n 1 --exclusive
job b -p yes -w n1 -n 1 -s
table
show squeue -h -j "$a" -o '%h %C'
scene both asked
show sbatch -p yes -s --exclusive --wrap true
