# What the script sees of itself: arguments, its name, its parent's words, stdin.
file job.sh <<'S'
#!/bin/bash
echo "n=$#"
for a in "$@"; do echo "[$a]"; done
basename "$0"
[ -t 0 ] && echo tty || echo no tty
readlink /proc/self/fd/0
S
run_job -o out.txt job.sh a 'b c' '' -n '*' --wrap
show_file out.txt
show_in '#!/bin/sh
echo "stdin: $# $1"' sbatch -o out2.txt
wait_end "$(sed 's/.* //' "$QUIET.out")"
show_file out2.txt
show_in '#!/bin/sh
echo "stdin: $# $1"' sbatch -o out3.txt -
wait_end "$(sed 's/.* //' "$QUIET.out")"
show_file out3.txt
run_job -o out4.txt --wrap 'echo "$0" | sed "s,.*/,,"; head -2 "$0"'
show_file out4.txt
PATH=$PWD/bin:$PATH
mkdir bin
cp job.sh bin/onpath
run_job -o out5.txt onpath x
show_file out5.txt
chmod 644 job.sh
run_job -o out6.txt job.sh y
show_file out6.txt
