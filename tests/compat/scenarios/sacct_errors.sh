# What sacct refuses, in which words and with which exit code.
show sacct --nosuch
show sacct -z
show sacct foo
show sacct foo bar
show sacct -j
show sacct -o
show sacct --units
show sacct --delimiter
show sacct --noheader=1
show sacct -j foo
show sacct -j 12,foo
show sacct -j 12_x
show sacct -j 12_
show sacct -j '12_[0-1]'
show sacct -j 12.foo
show sacct -j 12.
show sacct -j -1
show sacct -j 0
show sacct -j 99999999999
show sacct -j 12+x
show sacct -o foo
show sacct -o jobid,foo,bar
show sacct -o 'jobid%5,foo%5'
show sacct -s foo
show sacct -s RUNNING,foo
show sacct -s all
show sacct -s cg
show sacct -s CF
show sacct -S foo
show sacct -E foo
show sacct -S 25:00
show sacct -S 10:61
show sacct -S 1332
show sacct -S 2026-13-01
show sacct -S 6am
show sacct -S uts100
show sacct -S now-1fortnight
show sacct -S 2030-01-01
show sacct -S 2020-01-02 -E 2020-01-01
show sacct -u nosuch
show sacct -u root,nosuch
show sacct -g nosuch
show sacct -q nosuch
show sacct -i x
show sacct -i 1-x
show sacct -I x
show sacct -k x
show sacct -k 1 -K x
show sacct --units=X
show sacct --units=1
show sacct --whole-hetjob=foo -j 12
show sacct -B
show sacct --env-vars
show sacct -B --env-vars -j 12
show sacct -l -o jobid
show sacct -c
show sacct -f /nosuch
show sacct -R nosuch
show sacct -F nosuch
show sacct --json=foo
show sacct -N 'n[1-' -X -n
