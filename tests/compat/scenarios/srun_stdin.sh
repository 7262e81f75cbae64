# Standard input: to all, to one, to none, from a file.
feed() { printf '$ %s <<< "a line"\n' "$(quoted "$@")"; echo 'a line' | "$@" 2>&1 | LC_ALL=C sort; echo \
	"= ${PIPESTATUS[1]}"; }
feed srun -n 3 -l cat
feed srun -n 3 -i 2 -l cat
feed srun -n 3 -i none -l cat
feed srun -n 3 -i all -l cat
printf 'l1\nl2\n' >in.txt
show_unordered srun -n 2 -l -i in.txt cat
show_unordered srun -n 2 -l -i missing cat
show_unordered srun -n 2 -l -i /dev/null cat
show_in 'a line' srun -n 2 -i 5 -l cat
