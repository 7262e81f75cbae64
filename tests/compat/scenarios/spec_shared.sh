say "who keeps cores for the system has the node alone"
keep -w n1 -S 1 -n1
put -w n1 -n1
put -w n1 -S 1
show squeue -o '%X %C %t %r' -S i
put -S 1 --thread-spec 1
put -S 99
put -S -1
put -S x
