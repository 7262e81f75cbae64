# Programs that cannot be run: missing, not executable, a folder, a bad interpreter, garbage.
echo 'echo x' >plain
file badint <<'S'
#!/nosuch/interpreter
S
printf '\1\2\3\4garbage' >garbage
chmod 755 garbage
mkdir -p folder
file noline <<'S'
echo "no first line, $SLURM_PROCID"
S
show_unordered srun ./plain
show_unordered srun ./badint
show_unordered srun ./garbage
show_unordered srun ./folder
show_unordered srun ./noline
show_unordered srun ./missing
show_unordered srun /nosuch/missing
show_unordered srun -n 2 missing-command
show_unordered srun ''
show_unordered srun -D "$PWD/nowhere" pwd
show_unordered srun -D "$PWD/nowhere/x" sh -c 'echo $PWD; exit 3'
mask_steps
mask_nodes
