# Input and output that fill every pipe, and bytes that are no text.
head -c 3000000 /dev/zero | tr '\0' 'x' | fold -w 99 >big.txt
sum() { md5sum | cut -c1-32; }
say one task
srun cat <big.txt | sum
sum <big.txt
say three tasks
srun -n 3 md5sum <big.txt | LC_ALL=C sort
say from a file
srun -n 2 -i big.txt md5sum | LC_ALL=C sort
say binary
awk 'BEGIN{for(i=0;i<70000;i++) printf "%c", (i*7)%256}' >bin
srun cat <bin | cmp - bin && echo same
say labelled lines
srun -n 2 -l sh -c 'i=0; while [ $i -lt 5000 ]; do echo "line $i of $SLURM_PROCID"; i=$((i+1)); done' | LC_ALL=C sort \
	| sum
say the reader leaves first
srun yes 2>/dev/null | head -1
yes | srun head -1 2>/dev/null
