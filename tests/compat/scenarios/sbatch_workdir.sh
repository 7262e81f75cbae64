# -D/--chdir: there, missing, relative; where the output lands.
mkdir there
run_job -D there -o out.txt --wrap 'basename "$PWD"; basename "$SLURM_SUBMIT_DIR"'
show_file there/out.txt
run_job --chdir="$PWD/there" -o out2.txt --wrap 'basename "$PWD"'
show_file there/out2.txt
show sbatch --parsable -D nosuch -o "$PWD/out3.txt" --wrap 'pwd'
JOB=$(cat "$QUIET.out")
wait_end "$JOB"
show_keys 'JobState|ExitCode|WorkDir' scontrol show job "$JOB"
show_file out3.txt
show sbatch --parsable -D "$PWD/no/such/folder" -o "$PWD/out4.txt" --wrap 'pwd'
JOB=$(cat "$QUIET.out")
wait_end "$JOB"
show_keys 'JobState|ExitCode|WorkDir' scontrol show job "$JOB"
show_file out4.txt
