for f in disable-binding enforce-binding one-task-per-sharing multiple-tasks-per-sharing nosuch 'disable-binding,nosuch' ''; do
	put --gres-flags "$f"
done
sub -o /dev/null -H --gres-flags enforce-binding --wrap true
scontrol show job "$JOB" | grep -i gres
