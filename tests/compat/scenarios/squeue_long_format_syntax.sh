# -O: widths, alignment, several fields, names in any case, unknown names.
sub -J a_rather_long_job_name_indeed -H --wrap true
show squeue -O JobID,Name
show squeue -O jobid:8,name:10,state:12
show squeue -O jobid:.8,name:.10
show squeue -O jobid:8-,name
show squeue -O JOBID
show squeue -O jobid,nosuchfield
show squeue -O 'jobid ,name'
show squeue -O jobid:
show squeue -O ''
show squeue -O jobarrayid:20,statecompact:4,reason:30,timelimit
show squeue --Format=jobid:6,username:6,numnodes:3
