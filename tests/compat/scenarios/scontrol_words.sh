# scontrol's small verbs: host lists, ping, version, help, wrong words.
show scontrol show hostnames 'n[1-3,5]'
show scontrol show hostnames 'a1,b[08-11],c'
show scontrol show hostnames 'r[1-2]n[1-2]'
show scontrol show hostnames ''
show scontrol show hostnames
show env SLURM_JOB_NODELIST='n[1-2]' scontrol show hostnames
show env SLURM_NODELIST='n[1-2]' scontrol show hostnames
show scontrol show hostnames 'n[1-'
show scontrol show hostnames 'n[3-1]'
show scontrol show hostlist n1,n2,n3,n5
show scontrol show hostlist n3,n1,n2,n1
show scontrol show hostlist 'n[1-2],n[2-3]'
show scontrol show hostlist a08,a09,a10
show scontrol show hostlistsorted n3,n1,n2,n1
show scontrol show hostlist n1 n2
show scontrol ping
show scontrol -V
show scontrol version
show scontrol --version
show scontrol nosuch
show scontrol show
show scontrol show nosuch
show scontrol show hostname n1
show scontrol show reservation
show scontrol show steps
show scontrol show daemons
show scontrol --nosuch
show scontrol sho hostnames n1
show scontrol s hostnames n1
show_in 'show hostnames n[1-2]
quit' scontrol
show_in 'nosuch
show hostnames n1' scontrol
mask '/_parse_single_range/d'
