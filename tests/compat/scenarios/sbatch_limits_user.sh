# ulimits and umask travel with the job.
ulimit -S -n 500
ulimit -S -c 0
ulimit -S -s 4096
umask 077
run_job -o out.txt --wrap 'ulimit -n; ulimit -c; ulimit -s; umask'
show_file out.txt
run_job -o out2.txt --propagate=NONE --wrap 'ulimit -s'
run_job -o out3.txt --propagate=NOFILE --wrap 'ulimit -n'
show_file out3.txt
show sbatch -H --propagate=NOSUCH --wrap true
