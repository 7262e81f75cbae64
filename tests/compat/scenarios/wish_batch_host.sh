say "where the script runs"
for f in amd 'amd&rack2' 'gpu|fast' rack1 gpu; do
	show sbatch --parsable -o /dev/null -N4 -C '(intel|amd)&(rack1|rack2)' --batch "$f" --wrap 'sleep 300'
	[ "$rc" = 0 ] || continue
	JOB=$(cat "$QUIET.out")
	wait_state "$JOB" RUNNING
	show_keys 'BatchFeatures|BatchHost|NodeList' scontrol show job "$JOB"
	show squeue -h -j "$JOB" -o %B
	scancel "$JOB"
	wait_end "$JOB"
done
say "the script's view"
in_batch -N2 -C 'rack2&(gpu|big)' --batch gpu <<'END'
env | grep -E '^(SLURM_JOB_NODELIST|SLURMD_NODENAME|SLURM_NODEID|SLURM_JOB_NUM_NODES)=' | sort
srun -l -N2 sh -c 'echo $SLURMD_NODENAME $SLURM_NODEID' | sort
END
