# Where output goes: every pattern of the file names.
n=0
one() {
	n=$((n + 1))
	mkdir "$n"
	printf '$ sbatch %s\n' "$(quoted "$@")" >"$n/.cmd"
	sub -D "$n" -J "na me" "$@" --wrap 'echo out; echo err >&2'
	ids="$ids $JOB"
}
ids=
for p in %j %A %a %x %u %N %n %t %s %J %% %5j %10j %3a %8t %b %q %h %H plain a%jb%xc % %1 x%20jx '\%j' 'sp ace' %jj \
	%j%j %05j; do
	one -o "o-$p.txt"
done
one -o out.txt -e err.txt
one -e err.txt -o /dev/null
one -e err.txt
one -o out.txt -e out.txt
one --array=7 -o 'arr-%A-%a.txt'
one --array=7 -o 'arr-%4a.txt'
one --array=7
one -o none
one -o sub/dir/out.txt
one -o /dev/null
i=0
for j in $ids; do
	i=$((i + 1))
	wait_end "$j"
	cat "$i/.cmd"
	(cd "$i" && find . -type f ! -name .cmd | LC_ALL=C sort | while read -r f; do printf '%s: %s\n' "$f" \
		"$(LC_ALL=C sort "$f" | paste -sd' ')" | sed "s/$j/JJJJ/g; s/0000JJJJ/0000JJJJ/"; done)
done
