# --multi-prog with a file that will not do.
try() { printf -- "$1" >conf; sed 's/^/| /' conf; shift; show_unordered srun "$@" --multi-prog conf; }
try '0 echo a\n' -n 2
try 'x echo a\n' -n 1
try '0\n' -n 1
try '' -n 1
try '0 nosuchprogram\n1 echo fine\n' -n 2
try '0-9 echo a\n' -n 2
try '0 echo a\n0 echo b\n' -n 1
try '1-0 echo a\n' -n 2
try '-1 echo a\n' -n 1
show srun -n 1 --multi-prog missing
show srun -n 1 --multi-prog
mask_steps
