# Streams that end oddly: no newline, nothing at all, slow pieces, a reader that has enough.
sh -c 'printf "no newline" | srun cat'; echo
printf '' | srun cat; echo "= $?"
srun -u sh -c 'printf a; sleep 0.2; printf b; sleep 0.2; echo c'
srun sh -c 'printf a; sleep 0.2; printf b >&2; sleep 0.2; echo c' 2>&1
srun -n 2 head -c 3 <<<'abcdef' | LC_ALL=C sort; echo
srun sh -c 'read a; echo "$a"; read b; echo "$b"' <<<'one
two
three'
(echo first; sleep 0.4; echo second) | srun cat
srun true </dev/zero; echo "= $?"
mask_nodes
mask_steps
