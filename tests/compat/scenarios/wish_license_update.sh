sub -H -o /dev/null -L matlab:1 --wrap 'sleep 300'
a=$JOB
show scontrol update jobid="$a" Licenses=ansys:2
show squeue -h -j "$a" -o %W
show scontrol update jobid="$a" Licenses=nosuch
show scontrol update jobid="$a" Licenses=matlab:9
show scontrol update jobid="$a" Licenses=
show squeue -h -j "$a" -o %W
show scontrol update jobid="$a" Licenses=one
show scontrol release "$a"
wait_state "$a" RUNNING
show scontrol show licenses one
say "while it runs"
show scontrol update jobid="$a" Licenses=matlab:2
show scontrol show licenses matlab
show scontrol show licenses one
show_keys 'Licenses|LicensesAlloc' scontrol show job "$a"
