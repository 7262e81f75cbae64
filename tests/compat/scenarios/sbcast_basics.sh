# sbcast: a copy on the job's node; modes, an existing file, -f, -p, --compress, empty and big files.
# (One node: here all nodes share one disk, so the second would find the first one's copy.)
echo some text >source
chmod 640 source
touch -d '2020-01-02 03:04:05' source
in_alloc -N 1 <<'S'
show sbcast source "$PWD/copy"
show srun sh -c 'cat copy; stat -c "%a %U" copy'
show sbcast source "$PWD/copy"
show sbcast -f source "$PWD/copy"
show sbcast -p source "$PWD/kept"
stat -c '%a %y' kept
chmod 755 source
show sbcast source "$PWD/exec"
stat -c %a exec
show sbcast --compress source "$PWD/squeezed"
cmp source squeezed && echo same
show sbcast --compress=none source "$PWD/plain"
cmp source plain && echo same
show sbcast --compress=bogus source "$PWD/bogus"
show sbcast -F 1 -t 5 source "$PWD/fan"
show sbcast -s 1k source "$PWD/sized"
cmp source sized && echo same
S
