# squeue -s by default, its formats and orders.
JOB=$(salloc -Q --no-shell -N 2 -n 4 -J kept 2>/dev/null; job_named kept)
srun --jobid="$JOB" -n 2 -N 1 -w n1 --exact -J one sleep 300 2>/dev/null &
wait_step "$JOB.0"
srun --jobid="$JOB" -n 1 -N 1 -w n2 --exact -J two sleep 300 2>/dev/null &
wait_step "$JOB.1"
show squeue -s
show squeue -s -h -S i -o '%.10i %.9P %.8j %.8u %.9M %N'
show squeue -s -h -S -i -o '%i'
show squeue -s -h -w n2 -o '%i'
show squeue -s -h -o '%i %A %b %j %l %N %P %S %t %u %U' -S i
show squeue -s -O stepid,stepname,partition,username,timeused,nodelist -S i
show squeue -s -h -O nosuch
show squeue -s -h -o '%Q'
show squeue -s -j 99999
show squeue -s -h --me -o '%i' -S i
mask 's/YYYY-MM-DDTHH:MM:SS/TIME/g'
