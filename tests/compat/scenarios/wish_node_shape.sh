put --mincpus 8
put --mincpus 9
put --mincpus 4 -N2
put -B 2
put -B 2:4
put -B 1:8
put -B 2:4:1
put -B 3
put -B 2:5
put -B '*:8'
put -B 1:1:2
put --sockets-per-node 2 --cores-per-socket 4
put --cores-per-socket 8
put --threads-per-core 2
put --mem 5000
put --mem 5000 -N2
put --mem 9000
