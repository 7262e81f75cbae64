# Blocks as scontrol shows them, and as tasks see them.
show scontrol show topology
show scontrol show topology block=b2
show scontrol show topology unit=b3
show scontrol show topology node=n5
show scontrol show topology unit=nosuch
show scontrol show topology nosuch
in_batch -N4 --segment=2 -w n[1-4] <<'X'
env | grep -E 'TOPOLOGY|SEGMENT' | sort
srun env | grep -E 'TOPOLOGY|SEGMENT' | sort
X
show_keys 'Exclusive' scontrol show partition alone
