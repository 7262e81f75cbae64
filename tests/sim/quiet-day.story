# --seed 13 --nodes 3 --jobs 10 --no-faults
[     0] controller 1 leads
[     0] configured 3 nodes, 3 partitions
[     0] n1 is up
[     1] n3 is up
[     1] n2 is up
[    23] job 1 submitted uid=1000 partition=short
[    71] job 2 submitted uid=1001 partition=main held
[   118] job 3 submitted uid=1000 partition=short,main
[   118] job 3 started n1 partition=short
[   123] job 4 submitted uid=1000 partition=main array
[   123] job 5 is task 0 of 4
[   123] job 5 started n2 partition=main
[   123] job 6 is task 1 of 4
[   123] job 6 started n2 partition=main
[   131] job 1 ended CANCELLED reason=PartitionNodeLimit
[   137] job 5 ended COMPLETED
[   137] job 4 started n2 partition=main
[   137] job 6 ended COMPLETED
[   149] job 3 ended COMPLETED
[   150] job 4 ended COMPLETED
[   251] job 1 is forgotten
[   257] job 5 is forgotten
[   257] job 6 is forgotten
[   269] job 3 is forgotten
[   270] job 4 is forgotten
[   330] job 7 submitted uid=1000 partition=main
[   330] job 7 started n1 partition=main
[   330] job 7 step 0 started
[   397] job 7 step 0 ended on a node
[   397] job 7 ended FAILED exit=2:0 reason=NonZeroExitCode
[   397] job 7 left a node
[   517] job 7 is forgotten
[   536] job 8 submitted uid=1003 partition=main array
[   536] job 9 is task 0 of 8
[   536] job 9 started n1 partition=main
[   536] job 10 is task 1 of 8
[   536] job 10 started n1 partition=main
[   575] job 10 ended COMPLETED
[   575] job 11 is task 2 of 8
[   575] job 11 started n1 partition=main
[   576] job 9 ended COMPLETED
[   576] job 12 is task 3 of 8
[   576] job 12 started n1 partition=main
[   615] job 11 ended COMPLETED
[   615] job 8 started n1 partition=main
[   615] job 12 ended COMPLETED
[   616] job 13 submitted uid=1003 partition=main
[   616] job 13 started n1 partition=main
[   638] job 13 ended COMPLETED
[   654] job 8 ended COMPLETED
[   695] job 10 is forgotten
[   696] job 9 is forgotten
[   735] job 11 is forgotten
[   735] job 12 is forgotten
[   758] job 13 is forgotten
[   774] job 8 is forgotten
[   970] job 2 is released
[   970] job 2 started n1 partition=main
[  1060] job 2 ended COMPLETED
