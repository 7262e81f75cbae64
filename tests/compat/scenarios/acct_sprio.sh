# What sprio tells of the jobs that wait.
show sprio -w
show sprio -w -n
show sprio -w -l
show sprio -h -w -o '%a %b %f %j %p %q %t'
show sprio -h -w -o '%A %B %F %J %P %Q %T'
runs a -N4 --exclusive -A physics
job b -N1 -n2
job c -N2 -A physics -q high --nice=10
job d -N4 -p fine --mem=2000
job e -H -n1
settle
for form in -n -l; do show sprio $form -j 99999; done
show sprio -j "$b,$c,$d,$e" -o '%.15i %9r %.8u %.8o %.10S %.10B %.10J %.10P %.10n %.10Q %.11N %.20T'
show sprio -h -j "$c" -o '%b|%j|%p|%q|%t|%n|%c'
show sprio -h -u root -S -i -o '%i %u'
show sprio -h -S J -o '%i %J'
show sprio -h -p fine -o '%i %r'
show sprio -u nosuch
show sprio -j 99999
show sprio --nosuch
show scontrol update JobId="$b" Priority=77
show sprio -h -j "$b" -o '%i %Y %A %F %J %P %Q'
show squeue -h -j "$b,$e" -S j -o '%j %Q'
