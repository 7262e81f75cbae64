# The network as scontrol shows it, and as tasks see it.
show scontrol show topology
show scontrol show topology unit=s5
show scontrol show topology switch=s6
show scontrol show topology node=n7
show scontrol show topology nodes=n1
show scontrol show topology unit=nosuch
show scontrol show topology node=nosuch
show scontrol show topology nosuch
show scontrol -o show topology
show scontrol show topology s1 s2
show_keys 'TopologyPlugin|TopologyParam' scontrol show config
in_batch -N2 -w n3,n4 <<'X'
env | grep TOPOLOGY | sort
srun env | grep TOPOLOGY | sort
X
in_batch -N1 -w n8 <<'X'
env | grep TOPOLOGY | sort
X
show sbatch -N4 --segment=3 -o /dev/null --wrap true
