say "where the script runs"
for f in amd gpu 'intel&big' 'gpu|fast' rack1; do
	sub -o /dev/null -N4 -C 'intel|amd' --batch "$f" --wrap 'sleep 300'
	wait_state "$JOB" RUNNING
	show_keys 'BatchFeatures|BatchHost|NodeList' scontrol show job "$JOB"
	scancel "$JOB"
	wait_end "$JOB"
done
say "the script's view"
in_batch -N2 -C 'rack2' --batch gpu <<'END'
env | grep -E '^(SLURM_JOB_NODELIST|SLURMD_NODENAME|SLURM_NODEID|SLURM_JOB_NUM_NODES)=' | sort
srun -l -N2 sh -c 'echo $SLURMD_NODENAME $SLURM_NODEID' | sort
END
