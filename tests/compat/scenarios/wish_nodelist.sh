say "named nodes, and how many"
put -w n2
put -w n2 -N2
put -w n2,n4 -N3
put -w n2,n4
put -w n2,n4 -N1
put -w n[1-3] -N2
put -w n[1-2] -n3
put -w n2 -n10
put -w n2,n3 -N1-1 -n2
put -w n[1-2] -C rack2
put -w n1,n3 -C intel
say "and those that are not wanted"
put -x n1
put -x n[1-3]
put -x n[1-2] -N3
put -x n[1-4]
put -w n1 -x n1
put -w n1,n2 -x n2
put -x n9
put -w n9
