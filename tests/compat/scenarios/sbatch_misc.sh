# Options of sbatch that only say something, or are refused.
show sbatch -V
show sbatch --nosuch
show sbatch -9
show sbatch --no
show sbatch --usage
show sbatch -H --job-n=abbreviated --wrap true
squeue -h -S -i -o %j | head -1
show sbatch -H --parsable -v --wrap true
show sbatch -H -QQ --wrap true
show sbatch -H -J '' --wrap true
squeue -h -S -i -o '[%j]' | head -1
show sbatch -H --wrap ''
show sbatch -H --wrap
show sbatch -H -t
show sbatch -H --export --wrap true
show sbatch -H --mail-type=nosuch --wrap true
show sbatch -H --uid=nosuch --wrap true
show sbatch -H --uid=daemon --wrap true
squeue -h -S -i -o %u | head -1
show sbatch -H --signal=nosuch --wrap true
show sbatch -H --signal=USR1@nosuch --wrap true
show sbatch -H --nice=nosuch --wrap true
show sbatch -H --priority=TOP --wrap true
show sbatch -H --priority=nosuch --wrap true
show sbatch -H --hint=nosuch --wrap true
show sbatch -H -m nosuch --wrap true
show sbatch -H --get-user-env=5 --wrap true
show sbatch -H --mem-bind=nosuch --wrap true
show sbatch -H --profile=nosuch --wrap true
show sbatch -H --gpu-bind=nosuch --wrap true
mask '/^sbatch: (select|debug|Consumable|Cray|Linear|Using|.*plugin)/d; /^! sbatch: (select|debug|Consumable|.*plugin)/d'
