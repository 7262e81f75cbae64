# What a user may have at a time, by QOS.
scene so many jobs
runs a -q one
job b -q one
job c -q one
job d
table
scancel "$a"
wait_end "$a"
settle
squeue -h -j "$b,$c" -S j -o '%j %T %r'
scene so many cpus
runs a -q few
job b -q few -n2
job c -q few
table
job d -q few
scene so many cpus, at once
runs a -q few -n2
job b -q few -n3
table
scene no more submitted
runs a -q few
job b -q few -a 1-3
job c -q few -a 1-2
job d -q few
table
scene of an account
runs a -q acctone
job b -q acctone
job c -q acctone -A physics
job d -q acctone
job e -q acctone
table
scene cpus of an account
runs a -q acctcpu -n2
job b -q acctcpu -n2
runs c -q acctcpu -n2 -A physics
job d -q acctcpu -n1
job e -q acctcpu -n4
table
scene gpus
runs a -q gpu --gres=gpu:1
job b -q gpu --gres=gpu:1
job c -q gpu
job d -q gpu --gres=gpu:2
table
