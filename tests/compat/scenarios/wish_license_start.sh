say "starts that are planned wait for licences, too"
keep -L ansys:2 -t 10
a=$JOB
keep -L ansys:1 -t 5
b=$JOB
wait_reason "$b" Licenses
show sbatch --test-only -L matlab:1 -t 5 --wrap true
mask 's/[0-9]{4}-[0-9-]+T[0-9:]+/TIME/'
scancel "$a"
wait_state "$b" RUNNING
show squeue -h -j "$b" -o '%T %r'
