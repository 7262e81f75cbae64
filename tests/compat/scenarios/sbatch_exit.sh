# How a job's end is told: exit codes and signals, as state, reason and ExitCode.
n=0
one() {
	n=$((n + 1))
	sub -o "out.$n" "$@"
	printf '%s %s\n' "$JOB" "$(quoted "$@")" >>jobs
}
one --wrap true
one --wrap false
one --wrap 'exit 3'
one --wrap 'exit 127'
one --wrap 'exit 255'
one --wrap 'exit 256'
one --wrap 'kill -9 $$'
one --wrap 'kill -TERM $$'
one --wrap 'kill -SEGV $$'
one --wrap 'kill -USR1 $$'
one --wrap 'nosuchcommand'
one --wrap 'sh -c "kill -9 \$\$"'
one --wrap 'sh -c "kill -9 \$\$"; true'
file bad.sh <<'S'
#!/nosuch/interpreter
true
S
one bad.sh
file fail.sh <<'S'
#!/bin/sh
exit 7
S
one fail.sh
printf '#!/bin/sh\nexec 1>&-\nexit 0\n' >quiet.sh
one quiet.sh
one --wrap 'sleep 30 & exit 4'
one -N 2 --wrap 'exit 9'
i=0
while read -r id cmd; do
	i=$((i + 1))
	wait_end "$id"
	printf '$ %s\n' "$cmd"
	show_keys 'JobState|Reason|ExitCode|BatchHost' scontrol show job "$id" | tail -n +2 | paste -sd' '
	sed 's/^/out: /' "out.$i"
done <jobs
mask 's,/[^ ]*/job[0-9]+/slurm_script,SCRIPT,; s,/[^ ]*slurm_script,SCRIPT,g; s/BatchHost=n[1-4]/BatchHost=N/'
