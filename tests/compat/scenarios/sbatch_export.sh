# --export in all its forms: which variables of the submitter a job sees.
export KEEP=kept OTHER=other EMPTY=
n=0
one() {
	n=$((n + 1))
	printf '$ %s sbatch %s\n' "${VAR:-}" "$(quoted "$@")" >"$n.cmd"
	env "${VAR:-KEEP=$KEEP}" sbatch -Q "$@" -J "exp$n" -o "$n.out" --wrap 'for v in KEEP OTHER EMPTY NEW TWO HOME USER SLURM_EXPORT_ENV SLURM_GET_USER_ENV SBATCH_EXPORT; do eval "echo $v=\${$v-unset}"; done; echo end'
}
one
one --export=ALL
one --export=NONE
one --export=NIL
one --export=KEEP
one --export=KEEP,OTHER
one --export=NEW=fresh
one --export=ALL,NEW=fresh
one --export=ALL,NEW=fresh,TWO=2
one --export=KEEP,NEW=fresh
one --export=NEW=
one --export=ALL,NEW='a b'
one --export=NOSUCH
VAR=SBATCH_EXPORT=NONE one
VAR=SBATCH_EXPORT=KEEP one
VAR=SBATCH_EXPORT=NONE one --export=ALL
for i in $(seq $n); do
	wait_file "$i.out"
	for t in $(seq 1200); do grep -q '^end' "$i.out" && break; sleep 0.05; done
	cat "$i.cmd" "$i.out"
done
