# Widths, justification, text between the fields of squeue -o.
sub -J a_long_job_name -H --wrap true
show squeue -o '%i|%.10i|%10i|%-10i|'
show squeue -o '%.4j|%4j|%.20j|%20j|'
show squeue -o 'plain text'
show squeue -o '%%'
show squeue -o '100%% %i'
show squeue -o '%i,%j;%t'
show squeue -o '%1'
show squeue -o '%'
show squeue -o ''
show squeue -o '%_'
show squeue -o '%0'
show squeue -o '%i\n%j\t%t'
show squeue -h -o %i
show squeue --format=%i:%j
show squeue --format '%A %F %K %i'
show env SQUEUE_FORMAT='%i %j env' squeue
show env SQUEUE_FORMAT='%i %j env' squeue -o '%t option'
show env SQUEUE_FORMAT2=jobid,name squeue
