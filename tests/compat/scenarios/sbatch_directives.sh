# #SBATCH lines: which are read, which are not, quotes, comments, mistakes.
try() {
	file job.sh
	show sbatch -H --parsable job.sh
	[ "$rc" != 0 ] || { JOB=$(cat "$QUIET.out"); squeue -h -j "$JOB" -o \
		'  name=%j limit=%l part=%P cpus=%C comment=%k nodes=%D'; }
}
say plain
try <<'S'
#!/bin/sh
#SBATCH -J one
#SBATCH --time=5
#SBATCH -p short
true
S
say several on a line
try <<'S'
#!/bin/sh
#SBATCH -J two -t 6 --partition short
S
say quotes
try <<'S'
#!/bin/sh
#SBATCH --job-name="a b c" --comment='it is'
S
try <<'S'
#!/bin/sh
#SBATCH --comment=it\ is -J x"y"z
S
say unbalanced quote
try <<'S'
#!/bin/sh
#SBATCH --comment="open
S
say a comment on the line
try <<'S'
#!/bin/sh
#SBATCH -J named # and a comment -t 5
S
try <<'S'
#!/bin/sh
#SBATCH -J a#b
S
say after the first command
try <<'S'
#!/bin/sh
#SBATCH -J first
echo hello
#SBATCH -J second
S
say blank lines and comments do not end them
try <<'S'
#!/bin/sh

# words
   
#SBATCH -J after_blank

#SBATCH -t 7
S
say look-alikes
try <<'S'
#!/bin/sh
##SBATCH -J doubled
# SBATCH -J spaced
 #SBATCH -J indented
#sbatch -J small
#SBATCH-J glued
#SBATCHJ
S
say a tab after the word
printf '#!/bin/sh\n#SBATCH\t-J\ttabbed\n' | try
say the last one wins
try <<'S'
#!/bin/sh
#SBATCH -J a
#SBATCH -J b
S
say unknown option
try <<'S'
#!/bin/sh
#SBATCH --nosuch=1
S
say bad value
try <<'S'
#!/bin/sh
#SBATCH -t nosuch
S
say script and arguments are not options
try <<'S'
#!/bin/sh
#SBATCH word
S
try <<'S'
#!/bin/sh
#SBATCH
S
try <<'S'
#!/bin/sh
#SBATCH --
S
say missing argument
try <<'S'
#!/bin/sh
#SBATCH -J
S
say PBS lines
try <<'S'
#!/bin/sh
#PBS -N pbsname
#PBS -l walltime=00:10:00
S
show sbatch -H --ignore-pbs job.sh
squeue -h -S i -o '%j' | tail -1
say BSUB lines
try <<'S'
#!/bin/sh
#BSUB -J bsubname
S
say in a script of another language
try <<'S'
#!/usr/bin/env python3
#SBATCH -J snake
print("x")
S
say command line beats the script
file job.sh <<'S'
#!/bin/sh
#SBATCH -J script -t 5
S
show sbatch -H -J line job.sh
squeue -h -S -i -o '%j %l' | head -1
show env SBATCH_JOB_NAME=environ SBATCH_TIMELIMIT=9 sbatch -H job.sh
squeue -h -S -i -o '%j %l' | head -1
show env SBATCH_JOB_NAME=environ SBATCH_TIMELIMIT=9 sbatch -H -J line job.sh
squeue -h -S -i -o '%j %l' | head -1
say a name with a path
mkdir sub
cp job.sh sub/other.sh
sed -i '/SBATCH/d' sub/other.sh
show sbatch -H sub/other.sh
squeue -h -S -i -o '%j %o' | head -1
