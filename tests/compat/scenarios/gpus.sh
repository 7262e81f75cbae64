# Which GPUs jobs see, two on one node, and what the job record says.
look='env | grep -E "^(SLURM_.*GPU|CUDA_VIS|ROCR_VIS|GPU_DEV|SLURM_STEP_GPUS)" | LC_ALL=C sort; sleep 300'
sub -w n1 --gres=gpu:1 -o a.txt --wrap "$look"
a=$JOB
wait_file a.txt
sub -w n1 --gres=gpu:2 -o b.txt --wrap "$look"
b=$JOB
wait_file b.txt
sub -w n1 --gpus=1 -o c.txt --wrap "$look"
wait_file c.txt
sleep 0.2
show_file a.txt
show_file b.txt
show_file c.txt
show_keys 'TresPerNode|TresPerJob|AllocTRES' scontrol show job "$a"
show_keys 'TresPerNode|TresPerJob|AllocTRES' scontrol show job "$JOB"
scontrol -d show job "$b" | grep -E 'GRES|CPU_IDs'
show_keys 'Gres|GresUsed' scontrol -d show node n1
scancel "$a"
wait_end "$a"
sub -w n1 --gres=gpu:1 -o d.txt --wrap "$look"
wait_file d.txt
sleep 0.2
show_file d.txt
sub -w n1 --gres=none -o e.txt --wrap "$look"
wait_state "$JOB" RUNNING
sleep 0.3
show_file e.txt
