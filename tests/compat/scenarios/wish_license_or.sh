keep -L 'ansys:2|matlab:1'
show_keys 'Licenses|LicensesAlloc' scontrol show job "$JOB"
keep -L 'ansys:2|matlab:1'
show_keys 'Licenses|LicensesAlloc' scontrol show job "$JOB"
keep -L 'ansys:2|matlab:4|one'
show_keys 'Licenses|LicensesAlloc' scontrol show job "$JOB"
keep -L 'ansys|matlab:4|one'
show_keys 'Licenses|LicensesAlloc' scontrol show job "$JOB"
show scontrol show licenses
