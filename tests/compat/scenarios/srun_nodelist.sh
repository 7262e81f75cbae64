# -w, -x, -F and node counts outside of a job.
n() { nodes_idle; show_unordered srun "$@" sh -c 'echo $SLURMD_NODENAME $SLURM_NODEID $SLURM_JOB_NODELIST'; }
n -w n3
n -w 'n[2-3]'
n -w n4,n2
n -x n1
n -x 'n[1-3]'
n -w n2 -x n2
n -N 4
n -w nosuch
n -x nosuch
n -w 'n[2-'
printf 'n2\nn4\n' >nodes
n -F nodes
n -F missing
