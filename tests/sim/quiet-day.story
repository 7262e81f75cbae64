# --seed 3 --nodes 3 --jobs 8 --no-faults
[     0] controller 1 leads
[     0] configured 3 nodes, 3 partitions
[     1] n2 is up
[     1] n1 is up
[     2] n3 is up
[    34] job 1 submitted uid=1003 partition=main
[    34] job 1 started n1 partition=main
[   124] job 1 ended COMPLETED
[   127] job 2 submitted uid=1003 partition=main
[   127] job 2 started n1 partition=main
[   204] job 2 ended COMPLETED
[   226] job 3 submitted uid=1000 partition=main depends on afternotok:1(unfulfilled)
[   226] job 3 depends on afternotok:1(failed)
[   244] job 1 is forgotten
[   302] job 4 submitted uid=1002 partition=main
[   302] job 4 started n1 partition=main
[   313] job 5 submitted uid=1003 partition=main held
[   324] job 2 is forgotten
[   342] job 4 ended FAILED exit=2:0 reason=NonZeroExitCode
[   352] job 6 submitted uid=1000 partition=main
[   352] job 6 started n1 partition=main
[   460] job 5 ended CANCELLED reason=JobHeldUser
[   462] job 4 is forgotten
[   552] job 7 submitted uid=1003 partition=main
[   580] job 5 is forgotten
[   600] job 8 submitted uid=1003 partition=main
[   892] job 6 ended TIMEOUT exit=0:15 reason=TimeLimit
[   892] job 6 left a node
[   892] job 7 started n[1-3] partition=main
[   900] job 3 ended CANCELLED reason=DependencyNeverSatisfied
[   945] job 7 ended COMPLETED
[   945] job 8 started n1 partition=main
[   945] job 7 left a node
[   945] job 7 left a node
[   948] job 8 ended COMPLETED
