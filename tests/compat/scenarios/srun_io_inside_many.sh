# Several steps with files and input at once in a batch job.
in_batch -N 2 -n 4 <<'S'
printf 'a\nb\n' >in.txt
srun -Q -n 2 --exact -i in.txt -o 'one-%t' cat &
echo piped | srun -Q -n 2 --exact -o 'two-%t' cat &
wait
for f in one-* two-*; do echo "$f: $(paste -sd' ' "$f")"; done
srun -l -i none cat
srun -n 4 -o 'n-%N-%t' hostname
ls n-*
while read -r x; do srun -n 1 echo "loop $x" </dev/null; done <in.txt
S
