# sbcast of a big file, a relative name, a program that is run after; several nodes with -f.
cp /bin/true prog
in_alloc -N 1 <<'S'
show sbcast -s 100k big "$PWD/big2"
cmp big big2 && echo same
show sbcast --compress=lz4 big "$PWD/big3"
cmp big big3 && echo same
show sbcast big other-name
ls other-name
show sbcast prog "$PWD/prog2"
show srun ./prog2
S
in_alloc -N 3 <<'S'
show sbcast -f big "$PWD/three"
cmp big three && echo same
S
