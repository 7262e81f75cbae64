# scancel of a batch job with two steps: what stands in its output.
sub -n 2 -o out.txt --wrap 'trap : TERM; srun -n 1 --exact sh -c "touch up1; exec sleep 300" & a=$!; srun -n 1 --exact sh -c "touch up2; exec sleep 300" & b=$!; wait; wait $a; wait $b; echo over'
until [ -e up1 ] && [ -e up2 ]; do sleep 0.05; done
show scancel "$JOB"
wait_end "$JOB"
show_keys 'JobState|ExitCode' scontrol show job "$JOB"
sed 's/^\[[^]]*\] //' out.txt | LC_ALL=C sort | grep -E 'STEP|JOB|aborted|over' | sed -E 's/ AT [^ ]+ / AT TIME /'
sub -n 1 -o out2.txt --wrap \
	'srun sh -c "trap \"echo usr1; exit 5\" USR1; touch up3; sleep 200 & wait"; echo "srun said $?"'
until [ -e up3 ]; do sleep 0.05; done
show scancel -s USR1 "$JOB"
wait_end "$JOB"
show_file out2.txt
mask_steps
mask_nodes
