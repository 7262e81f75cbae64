# Memory and devices are never shared.
scene memory
job a -p two -w n1 -n 8 --mem=3000
job b -p two -w n1 -n 8 --mem=2000
job c -p two -w n1 -n 8 --mem=1000
table
scene gpus
job a -p two -w n1 -n 8 --gres=gpu:1
job b -p two -w n1 -n 8 --gres=gpu:2
job c -p two -w n1 -n 8 --gres=gpu:1
table
