# Memory and disk.
scene memory of a node
job a -p four --mem=3000
job b -p four --mem=3000
job c -p four --mem=1000
job d -p four --mem=4001
table
scene all memory
job a -p four --mem=0
job b -p four --mem=0
job c -p four -n1
table
scene memory of each CPU
job a -p four -n4 --mem-per-cpu=1000
job b -p four -n4 --mem-per-cpu=900
job c -p four -N3 -n9 --mem-per-cpu=900
table
scene memory of each CPU is too much for one node
job a -p four -N1 -n5 --mem-per-cpu=900
job b -p four -n5 --mem-per-cpu=900
job c -p four -c2 -n1 --mem-per-cpu=2001
table
scene memory by default
job a -p four -n8
job b -p four -n2 --mem=3500
table
scontrol show job "$a" | grep -oE 'MinMemory[^ ]*'
scontrol show job "$b" | grep -oE 'MinMemory[^ ]*'
scene memory of each GPU
job a -p four --gpus=2 --mem-per-gpu=1500
job b -p four --gpus=2 --mem-per-gpu=1500
job c -p four --gpus=3 --mem-per-gpu=1500
table
scene memory keeps others off free CPUs
job a -p two -n1 --mem=4000
job b -p two -n1 --mem=3950
job c -p two -n1
job d -p two -n1 --mem=50
table
scene disk
job a --tmp=500
job b --tmp=5000
job c --tmp=9001
job d -N2 --tmp=9000
table
