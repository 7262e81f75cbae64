say "the same of srun, salloc and --prefer"
show srun -C nosuch true
show srun -C '(intel' true
show salloc -C 'intel&' true
put --prefer nosuch
put --prefer 'intel&'
put --prefer '[intel'
put --batch nosuch
put --batch 'intel&'
put -C intel --batch amd
