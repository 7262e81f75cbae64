# Nodes for one user alone: by partition, by option.
mask '/^Submitted/d'
scene my partition
job a -p mine -w n1 -n 1
job b -p mine -w n1 -n 1
job c -w n1 -n 1
show squeue -h -j "$a" -o '%h %C'
show_keys 'OverSubscribe|Exclusive' scontrol show job "$a"
job d -p mine -w n1 -n 1 --uid=65534
job f -w n2 -n 1 --uid=65534
table
scene my option
job a -w n1 -n 1 --exclusive=user
job b -w n1 -n 1
show squeue -h -j "$a" -o '%h %C'
show_keys 'OverSubscribe|Exclusive' scontrol show job "$a"
job c -w n1 -n 1 --uid=65534
table
scene the label
job a -w n1 -n 1 --exclusive=mcs
job b -w n1 -n 1
show squeue -h -j "$a" -o '%h %C'
show_keys 'OverSubscribe|Exclusive' scontrol show job "$a"
table
