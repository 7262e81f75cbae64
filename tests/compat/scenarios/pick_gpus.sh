# Generic resources.
scene any GPU
job a --gres=gpu:2
job b --gres=gpu:2
job c --gres=gpu:1
job d --gres=gpu:5
table
scene GPUs of a type
job a --gres=gpu:b:1
job b --gres=gpu:b:2
job c --gres=gpu:a:4
job d --gres=gpu:b:4
job e --gres=gpu:c:1
table
scene GPUs on several nodes
job a -N2 --gres=gpu:4
job b -N2 --gres=gpu:b:2
job c -N3 --gres=gpu:a:1
table
scene GPUs of a job
job a --gpus=6
job b --gpus=2
job c --gpus=13
job d --gpus=b:3
table
scene GPUs of each node
job a -N2 --gpus-per-node=3
job b -N2 --gpus-per-node=1
job c -N2 --gpus-per-node=b:2
table
scene GPUs of each task
job a -n3 --gpus-per-task=1
job b -n3 --gpus-per-task=2
job c -n2 --gpus-per-task=b:1
table
scene GPUs of each socket
job a --sockets-per-node=2 --gpus-per-socket=1 -n2
job b --gpus-per-socket=1
table
scene CPUs of each GPU
job a --gpus=2 --cpus-per-gpu=3
job b --gpus=1 --cpus-per-gpu=2
job c --gpus=4 --cpus-per-gpu=3
table
scene tasks of each GPU
job a --gpus=2 --ntasks-per-gpu=2
job b -n4 --ntasks-per-gpu=2
table
scene more GPUs than are free
job a -p two --gpus=8
job b -p two --gpus=1
job c -p two -n1 -t 10
table
scene a GPU waits for its node
job a -p two -N2 --gres=gpu:3
job b -p two -N1 --gres=gpu:2
job c -p two -N1 --gres=gpu:1 -t 10
table
scene resources nobody has
job a --gres=fpga:1
job b --gres=nosuch:1
job c --gres=gpu:0
table
