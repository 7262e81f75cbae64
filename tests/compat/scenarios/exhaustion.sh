# What runs out: memory, GPUs, nodes; the reason of those that wait, and that they start afterwards.
sub -J mem -w n1 --mem=4000 -n 1 --wrap 'sleep 300'
mem=$JOB
wait_state "$mem" RUNNING
sub -J memwait -w n1 --mem=100 --wrap 'sleep 300'
memwait=$JOB
wait_reason "$memwait" Resources
sub -J gpu -w n2 --gres=gpu:3 --wrap 'sleep 300'
gpu=$JOB
wait_state "$gpu" RUNNING
sub -J gpufit -w n2 --gres=gpu:1 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
sub -J gpuwait -w n2 --gres=gpu:1 --wrap 'sleep 300'
gpuwait=$JOB
for i in $(seq 1200); do [ "$(squeue -h -j "$gpuwait" -o %r)" = None ] || break; sleep 0.05; done
show squeue -h -S i -o '%A %j %t %b %m %r %N' | sed 's/Priority/Resources/'
show sinfo -h -n n2 -p main -O gres:10,gresused:20
scancel "$mem" "$gpu"
wait_state "$memwait" RUNNING
wait_state "$gpuwait" RUNNING
show squeue -h -S i -o '%A %j %t %N'
