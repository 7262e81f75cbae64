# scontrol show node and partition, whole and one a line.
mask 's/CPULoad=[^ ]*/CPULoad=LOAD/; s/FreeMem=[^ ]*/FreeMem=MB/; s/^   OS=.*/   OS=OS/; s/ OS=.* RealMemory/ OS=OS RealMemory/; s/Arch=[^ ]*/Arch=ARCH/; s/Version=[^ ]*/Version=VERSION/; s/BootTime=[^ ]*/BootTime=TIME/; s/SlurmdStartTime=[^ ]*/SlurmdStartTime=TIME/; s/LastBusyTime=[^ ]*/LastBusyTime=TIME/; s/NodeHostName=[^ ]*/NodeHostName=HOST/'
show scontrol show node n1
show scontrol -o show node n2
show scontrol show nodes n3,n4
show scontrol show node n9
show scontrol show partition
show scontrol show partition main
show scontrol -o show partition
show scontrol show partition nosuch
sub -w n1 -n 3 --gres=gpu:2 --mem=500 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol show node n1
show scontrol -d show node n1
