# What accounts and users may have.
by() { local user=$1 name=$2; shift 2; show su -s /bin/sh "$user" -c \
	"cd /tmp; sbatch -o /dev/null -J $name $* --wrap 'sleep 60'"; }
now() { settle; squeue -h -S j -o '%4j %8u %7a %11T %2D %3C %r'; }
scene cpus of an account
runs a -A capped -n3
job b -A capped -n2
job c -A capped -n1
job d -A capped -n5
table
scene and of those below
runs a -A below -n3
job b -A below -n2
job c -A capped -n1
table
scene jobs of an account
runs a -A capped
runs b -A below
runs c -A capped
job d -A capped
table
scene jobs of a user
by games a -A capped
by games b -A capped
by games c
JOBS=$(squeue -h -o %A | paste -sd,)
now
scene submitted by a user
by daemon a -A capped
by daemon b -A capped -n3
by daemon c -A capped
JOBS=$(squeue -h -o %A | paste -sd,)
now
scene too long for an account
job a -A times -t 30
job b -A times -t 31
job c -A times
table
show squeue -h -S j -o '%j %l'
scene minutes of a job
job a -A times -n2 -t 30
job b -A times -n3 -t 30
table
