# A suspended job lends its CPUs, not its memory nor its devices.
scene cpus
job a -w n1 -n 8
table
scontrol suspend "$a"
job b -w n1 -n 8
table
show_keys 'CPUAlloc|AllocMem|State' scontrol show node n1
show scontrol resume "$a"
table
show sinfo -h -n n1 -p main -o '%C %t'
job c -w n1 -n 1
table
scene memory
job a -w n1 -n 1 --mem=3000
table
scontrol suspend "$a"
job b -w n1 -n 1 --mem=2000
job c -w n1 -n 8 --mem=1000
table
scene gpus
job a -w n1 -n 1 --gres=gpu:2
table
scontrol suspend "$a"
job b -w n1 -n 1 --gres=gpu:1
job c -w n1 -n 8
table
