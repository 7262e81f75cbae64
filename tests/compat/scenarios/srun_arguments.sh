# Words of the command: blanks, quotes, empty ones, many, long, --.
file args <<'S'
#!/bin/sh
echo "$#:"
for a; do echo "[$a]"; done
S
show srun ./args a 'b c' '' "d'e" 'f"g' '$HOME' '*'
show srun -- ./args -n 5 -l
show srun ./args -n 5 --nosuch
show srun -n 1 ./args --
show srun ./args "$(printf 'two\nlines')"
long=$(head -c 100000 /dev/zero | tr '\0' a)
srun sh -c 'echo ${#1}' x "$long"
BIG=$long srun sh -c 'echo ${#BIG}'
# shellcheck disable=SC2046
srun sh -c 'echo $#' x $(seq 3000)
ODD='a b "c" $d
next line' show srun sh -c 'echo "$ODD"'
show env 'BASH_FUNC_f%%=() { echo from a function; }' srun bash -c f
