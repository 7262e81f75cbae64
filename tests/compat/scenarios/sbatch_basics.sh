# The ways to hand in a script, and what sbatch says.
file job.sh <<'S'
#!/bin/sh
echo "hello $0 $# [$1] [$2]" | sed 's,/.*/,,'
S
show sbatch job.sh
show sbatch --parsable job.sh
show sbatch -Q job.sh
show sbatch --wrap 'echo wrapped'
show_in '#!/bin/sh
echo from stdin' sbatch
show sbatch -o args.out job.sh 'one two' three
show sbatch -J named --wait -o out.txt job.sh
show_file out.txt
show sbatch --wait --wrap "exit 3"
show sbatch nosuch.sh
show sbatch --wrap true job.sh
printf 'echo no interpreter\n' >plain
show sbatch plain
printf '' >nothing
show sbatch nothing
printf '#!/bin/sh\r\necho dos\r\n' >dos.sh
show sbatch dos.sh
mkdir folder
show sbatch folder
show sbatch --version
empty_queue
show_file args.out
for f in slurm-*.out; do show_file "$f"; done
