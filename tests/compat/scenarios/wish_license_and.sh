keep -L matlab:1,ansys:2
show_keys 'Licenses|LicensesAlloc' scontrol show job "$JOB"
show scontrol show licenses
keep -L one,ansys
show squeue -h -j "$JOB" -O Licenses:30,LicensesAlloc:30
put -L one
put -L one:1,matlab:3
