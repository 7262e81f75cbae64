# Default names, truncating and appending, a folder that is missing, input files.
run_job --parsable --wrap 'echo default'
show_file "slurm-$(cat "$QUIET.out").out"
run_job --parsable --array=4 --wrap 'echo array'
show_file "slurm-$(cat "$QUIET.out")_4.out"
echo before >old.txt
run_job -o old.txt --wrap 'echo after'
show_file old.txt
run_job -o old.txt --open-mode=append --wrap 'echo appended'
show_file old.txt
run_job -o old.txt --open-mode=truncate --wrap 'echo truncated'
show_file old.txt
show sbatch -H -o old.txt --open-mode=nosuch --wrap true
run_job -o "$PWD/made/folder/out.txt" --wrap true
ls made/folder
show_keys 'JobState|Reason|ExitCode' scontrol show job "$JOB"
echo given >in.txt
run_job -i in.txt -o got.txt --wrap cat
show_file got.txt
run_job -o got.txt --wrap 'cat; echo end'
show_file got.txt
run_job -i nosuch.txt -o got2.txt --wrap cat
show_keys 'JobState|Reason|ExitCode' scontrol show job "$JOB"
show_file got2.txt
umask 027
run_job -o mode.txt --wrap 'umask; touch made'
show_file mode.txt
stat -c '%n %a' mode.txt made
