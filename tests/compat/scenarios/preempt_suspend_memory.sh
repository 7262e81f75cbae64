# A suspended job keeps its memory and its devices: a job that needs them cannot begin.
scene memory
job a -p main -w n1 -n 8 --mem=3000
table
job b -p high -w n1 -n 8 --mem=2000
table
scene gpus
job a -p main -w n1 -n 8 --gres=gpu:2
table
job b -p high -w n1 -n 8 --gres=gpu:1
table
