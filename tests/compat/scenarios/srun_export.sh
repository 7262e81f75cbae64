# --export of srun: what of the caller's environment a task sees.
export A=1 B='two words' C=3
mine='^(A|B|C|D|HOME|PATH|SLURM_EXPORT_ENV|SLURM_JOB_NAME)='
see() {
	printf '$ srun %s /usr/bin/env\n' "$(quoted "$@")"
	srun "$@" /usr/bin/env 2>see.err | grep -E "$mine" | grep -v ^PATH | LC_ALL=C sort
	sed 's/^/! /' see.err
}
see
see --export=ALL
see --export=NONE
see --export=A
see --export=A,D=4
see --export=ALL,D=4
see --export=ALL,B=changed
see --export=NONE,A
see --export=NIL
see --export=nosuchvar
see '--export=B=x y,C'
SLURM_EXPORT_ENV=A see
SLURM_EXPORT_ENV=NONE see --export=B
show_unordered srun --export=NONE sh -c 'echo no path'
