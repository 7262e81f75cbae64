# Partitions that share nodes, and do not.
chmod 777 .
other() { # other NAME ARG...: a job of another user.
	local name=$1
	shift
	printf '%s (games): %s\n' "$name" "$(quoted "$@")"
	printf -v "$name" '%s' "$(setpriv --reuid=games --regid=games --clear-groups env HOME=/ USER=games sbatch --parsable -J "$name" -o /dev/null "$@" --wrap 'exec sleep 90' 2>&1)"
	JOBS+=${JOBS:+,}${!name}
}
scene lightest nodes first
job a -n1
job b -N1 --exclusive
job c -N2 --exclusive
job d -N1 -n4
table
scene lightest nodes first, several
job a -N2
job b -N3
job c -n10
table
scene weight before fit
job a -n5
job b -n4
table
scene no sharing
job a -p no -N2 -n8
job b -p no -s -n1
table
scene shared if asked
job a -p yes -s -N2 -n8
job b -p yes -s -n4
job c -p yes -n1
job d -p yes -s -n4
job e -p yes -s -n1
table
scene not shared if not asked
job a -p yes -N2 -n8
job b -p yes -s -n4
table
scene shared by force
job a -p force -N2 -n8
job b -p force -N1 -n4
job c -p force -N1 -n4
job d -p force -n1
table
scene by force, but exclusive
runs a -p force -w n1 --exclusive
job b -p force -w n1 -n1
table
scene whole nodes
job a -p excl -n1
job b -p excl -n1
job c -p excl -n1
job d -p no -n1
table
scene nodes of one user
runs a -p user -w n1 -n1
other b -p user -n1
job c -p user -n1
other d -p user -w n1 -n1
table
scene a user alone on request
runs a -p no -w n1 -n1 --exclusive=user
job b -p no -w n1 -n1
other c -p no -w n1 -n1
other d -p no -w n2 -n1
table
scene CPUs of a partition on a node
job a -p cap -w n1 -n2
job b -p cap -w n1 -n1
job c -p main -w n1 -n2 -t 10
job d -p cap -n3
table
