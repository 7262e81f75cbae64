# shellcheck shell=bash
# cluster.sh - start a Spur cluster for the comparison and point the Slurm commands at it; the cluster is stopped when
# the script ends.

# start_cluster [KIND]: sets dir, SLURM_CONF and PATH.  Where there is acct.KIND.cfg its accounts are loaded.
start_cluster() {
	local spur=${SPUR:-spur} compat file
	compat=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
	dir=$(mktemp -d /tmp/compat-spur.XXXXXX)
	chmod 755 "$dir"
	"$compat/fill" "$dir" "${COMPAT_PORT:-27850}" "$@" >"$dir/slurm.conf"
	for file in "$compat"/topology."${1:-none}".{conf,yaml}; do
		[ ! -e "$file" ] || cp "$file" "$dir/$(basename "${file/.$1./.}")"
	done
	trap 'stop_cluster' EXIT
	"$spur" up --conf "$dir/slurm.conf" --dir "$dir/cluster" >"$dir/up.log" 2>&1 ||
		{ sed 's/^/# /' "$dir/up.log"; return 1; }
	eval "$("$spur" env --dir "$dir/cluster")"
	export PATH SLURM_CONF
	[ ! -e "$compat/acct.${1:-none}.cfg" ] || sacctmgr -Q -i load file="$compat/acct.$1.cfg" >"$dir/load.log" 2>&1 ||
		{ sed 's/^/# /' "$dir/load.log"; return 1; }
}

stop_cluster() {
	"${SPUR:-spur}" down --dir "$dir/cluster" >/dev/null 2>&1
	[ -n "${COMPAT_KEEP:-}" ] || rm -rf "$dir"
}
