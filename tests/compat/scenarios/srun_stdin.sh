# Standard input: to all, to one, to none, from a file.
show_in 'a line' srun -n 3 -l cat
show_in 'a line' srun -n 3 -i 2 -l cat
show_in 'a line' srun -n 3 -i none -l cat
show_in 'a line' srun -n 3 -i all -l cat
printf 'l1\nl2\n' >in.txt
show_unordered srun -n 2 -l -i in.txt cat
for i in 0 1; do echo "for $i" >in-$i; done
show srun -l -i in-%t cat
show_unordered srun -n 2 -l -i missing cat
show srun -l -i missing-%t cat
show_unordered srun -n 2 -l -i /dev/null cat
show_in 'a line' srun -n 2 -i 5 -l cat
