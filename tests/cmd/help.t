#!/usr/bin/env bash
# help: every command answers --help and --version, and has a man page that lists the same options.
. "$(dirname "$0")/lib.sh"
plan 110
man=$(cd "$(dirname "$0")/../../docs/man" && pwd)
build=${BUILD:-$(dirname "$SPUR")/../..}
links=$(cat "$(dirname "$0")/../../src/cli/links.txt")
mkdir "$TMP/bin"
for name in $links; do ln -s "$SPUR" "$TMP/bin/$name"; done
ln -s "$build/src/ctl/spurctld" "$TMP/bin/slurmctld"
ln -s "$build/src/node/spurd" "$TMP/bin/slurmd"
PATH=$TMP/bin:$PATH

# options: the option names in a text, one a line
options() { grep -oE -e '(^|[[:space:],(])--?[A-Za-z][A-Za-z0-9_-]*' | sed -E 's/^[^-]*//' | sort -u; }
for page in "$man"/*.in; do
	name=$(basename "$page" .in)
	name=${name%.*}
	case $name in
	spur) word="up env down" ;;
	*) word=$name ;;
	esac
	for word in $word; do
		case $word in
		spurctld) help=$("$build/src/ctl/spurctld" -h) ;;
		spurd) help=$("$build/src/node/spurd" -h) ;;
		*) help=$("$SPUR" "$word" --help) ;;
		esac
		is $? 0 "$word has a help text"
		"$man/make-man" test "$SPUR" "$build/src/ctl/spurctld" "$build/src/node/spurd" "$page" >"$TMP/page"
		said=$(printf '%s\n' "$help" |
			awk '/^Known/ { on = 1; next }
				on { for (i = 1; i <= NF; i++) print $i; next }
				/^ +-/ { sub(/^ +/, ""); at = match($0, /  +/); print at ? substr($0, 1, at - 1) : $0 }' | options)
		listed=$(sed 's/\\-/-/g; s/\\f[BIR]//g; s/^\.[A-Z]* *//; s/"//g' "$TMP/page" | options)
		silent "every option of $word stands in $name's page" \
			comm -23 <(echo "${said:-no option was found}") <(echo "$listed")
	done
	silent "$name's page is well formed" groff -man -Tutf8 -ww -z "$TMP/page"
done
for name in sbatch srun salloc squeue sinfo scancel scontrol sstat sacct sbcast sattach sprio sdiag sshare sacctmgr; do
	is "$("$name" --version)" "slurm 26.05.5" "$name --version is what tools expect"
	refused "$name refuses an unknown option" "$name" --no-such-option
done
for name in slurmctld slurmd; do is "$("$name" -V)" "slurm 26.05.5" "$name -V is what tools expect"; done
like "$("$SPUR" --version)" '^spur [0-9]' "spur --version is its own"
for name in $links; do
	"$name" --help >"$TMP/out" 2>&1
	status=$?
	if [ $status -lt 126 ] && ! grep -q 'there is no command' "$TMP/out"; then
		pass "$name is known"
	else
		fail "$name is known" "$(cat "$TMP/out")"
	fi
done
refused "an unknown verb" "$SPUR" nosuchverb
