# --task-prolog (export, unset, print) and --task-epilog, --prolog and --epilog.
file tpro <<'S'
#!/bin/sh
echo "export GIVEN=by prolog"
echo "unset TAKEN"
echo "print said by the prolog of $SLURM_PROCID"
echo "ignored line"
S
file tepi <<'S'
#!/bin/sh
echo "task epilog of $SLURM_PROCID" >>"$SLURM_SUBMIT_DIR/epilog.txt"
echo "epilog prints"
S
file pro <<'S'
#!/bin/sh
echo "prolog in $(basename "$PWD") ${SLURM_PROCID-no task} $SLURM_JOB_NAME $SLURM_STEP_ID"
S
file epi <<'S'
#!/bin/sh
echo "epilog ${SLURM_PROCID-no task} $SLURM_JOB_NAME"
S
export TAKEN=1
show srun --task-prolog="$PWD/tpro" sh -c 'echo "$GIVEN ${TAKEN-gone}"'
show_unordered srun -n 2 --task-prolog="$PWD/tpro" --task-epilog="$PWD/tepi" sh -c 'echo "task $SLURM_PROCID"'
LC_ALL=C sort epilog.txt
show srun --prolog="$PWD/pro" --epilog="$PWD/epi" -J pe echo the task
show srun --prolog=none --epilog=none echo plain
# Their dates come first in these lines, and decide their order.
show_unordered srun --task-prolog=/nosuch/prolog echo after a missing prolog |
	{ IFS= read -r head; printf '%s\n' "$head"; sed -E 's/^! \[[^]]*\] /! /' | LC_ALL=C sort; }
show_unordered srun --prolog=/nosuch/prolog --epilog=/nosuch/epilog echo after a missing prolog
file fails <<'S'
#!/bin/sh
exit 3
S
show_unordered srun --task-prolog="$PWD/fails" echo after a failing prolog
show_unordered srun --epilog="$PWD/fails" echo before a failing epilog
mask_steps
mask_nodes
mask_pids
