# The environment that salloc gives its command, and a task of srun below it.
show salloc -Q -N 2 -n 3 -J named -t 7 sh -c 'env >env.txt; srun -o step-%t.txt env'
show_env env.txt
say task 2
show_env step-2.txt
show salloc -Q sh -c 'env >env.txt'
show_env env.txt
