one() {
	keep "$@"
	[ "$JOB" != 0 ] || return
	squeue -h -j "$JOB" -o '%X %C %h %N'
	show_keys 'CoreSpec|ThreadSpec|NumCPUs|OverSubscribe|Exclusive|TRES|AllocTRES' scontrol show job "$JOB"
	scontrol -d show job "$JOB" | grep -o 'CPU_IDs=[^ ]*'
	scancel "$JOB"
	wait_end "$JOB"
}
one -w n1 -S 1
one -w n1 -S 2 -n4
one -w n1 --thread-spec 2
one -w n2 -S 0
one -w n2 -S 1
one -w n2 -S 4
one -w n2
one -w n1 -S 7
one -w n1 -S 8
one -w n1 -S 2 -n7
one -N2 -S 3
