# --seed 8 --nodes 4 --jobs 8
[     0] controller 1 leads
[     0] configured 4 nodes, 3 partitions
[     1] n1 is up
[    14] n2 is up
[    14] n3 is unknown*
[    14] n4 is unknown*
[    14] n3 is up
[    14] n4 is up
[    25] n2 crashed
[    30] n2 booted
[    30] n2 is up
[    73] job 1 submitted uid=1003 partition=short,main
[    73] job 1 started n[1-4] partition=main
[    84] n3 loses its connection
[    92] n2 loses its connection
[    97] job 1 ended COMPLETED
[    97] job 1 left a node
[    97] job 1 left a node
[    97] job 1 left a node
[   102] job 2 submitted uid=1001 partition=main array
[   102] job 3 is task 0 of 2
[   102] job 3 started n1 partition=main
[   102] job 4 is task 1 of 2
[   102] job 4 started n1 partition=main
[   102] job 5 is task 2 of 2
[   102] job 5 started n1 partition=main
[   102] job 6 is task 3 of 2
[   102] job 6 started n1 partition=main
[   102] job 7 is task 4 of 2
[   102] job 7 started n1 partition=main
[   102] job 2 started n1 partition=main
[   111] n4 loses its connection
[   114] job 8 submitted uid=1002 partition=main
[   114] job 8 started n2 partition=main
[   122] n4 is idle*
[   122] job 4 ended COMPLETED
[   122] job 6 ended COMPLETED
[   122] job 2 ended COMPLETED
[   122] job 3 ended COMPLETED
[   122] job 7 ended COMPLETED
[   123] job 5 ended COMPLETED
[   140] n1 restarts its agent
[   142] n1 is up
[   163] job 8 ended COMPLETED
[   172] n4 is down*: Not responding
[   174] n1 restarts its agent
[   177] n1 is up
[   199] n4 is up
[   208] the clock of controller 2 steps to +32 s
[   217] job 1 is forgotten
[   242] job 3 is forgotten
[   242] job 7 is forgotten
[   242] job 4 is forgotten
[   242] job 6 is forgotten
[   242] job 2 is forgotten
[   243] job 5 is forgotten
[   283] job 8 is forgotten
[   305] n1 loses its connection
[   311] n1 crashed
[   340] n1 booted
[   340] n1 is up
[   355] job 9 submitted uid=1002 partition=main array depends on singleton(unfulfilled)
[   355] job 9 depends on nothing any more
[   355] job 10 is task 0 of 9
[   355] job 10 started n[1-4] partition=main
[   355] job 11 is task 1 of 9
[   355] job 11 started n[1-4] partition=main
[   355] job 12 is task 2 of 9
[   355] job 12 started n[1-4] partition=main
[   355] job 13 is task 3 of 9
[   355] job 13 started n[1-4] partition=main
[   355] job 14 is task 4 of 9
[   355] job 14 started n[1-4] partition=main
[   355] job 9 started n[1-4] partition=main
[   362] n3 restarts its agent
[   367] n3 is up
[   370] job 13 ended COMPLETED
[   370] job 13 left a node
[   370] job 13 left a node
[   370] job 13 left a node
[   370] job 10 ended COMPLETED
[   370] job 10 left a node
[   370] job 10 left a node
[   370] job 10 left a node
[   370] job 14 ended COMPLETED
[   370] job 14 left a node
[   370] job 14 left a node
[   370] job 14 left a node
[   370] job 11 ended COMPLETED
[   370] job 11 left a node
[   370] job 11 left a node
[   370] job 11 left a node
[   370] job 12 ended COMPLETED
[   370] job 12 left a node
[   370] job 12 left a node
[   370] job 12 left a node
[   379] job 9 ended COMPLETED
[   379] job 9 left a node
[   379] job 9 left a node
[   379] job 9 left a node
[   460] n3 loses its connection
[   466] controller 1 crashed
[   468] controller 2 leads
[   468] configured 4 nodes, 3 partitions
[   468] job 13 is forgotten
[   468] job 10 is forgotten
[   468] job 14 is forgotten
[   468] job 11 is forgotten
[   468] job 12 is forgotten
[   468] job 9 is forgotten
[   475] n4 loses its connection
[   478] n3 is idle*
[   492] job 15 submitted uid=1003 partition=main
[   492] job 15 started n[1-2,4] partition=main
[   495] n3 is up
[   519] n4 crashed
[   529] job 15 ended COMPLETED
[   529] job 15 left a node
[   532] n4 booted
[   532] job 15 left a node
[   532] n4 is up
[   554] refused: Job dependency problem
[   570] n4 crashed
[   588] job 16 submitted uid=1003 partition=main array
[   588] job 17 is task 0 of 16
[   588] job 17 started n1 partition=main
[   588] job 18 is task 1 of 16
[   588] job 18 started n2 partition=main
[   588] job 19 is task 2 of 16
[   588] job 19 started n[1-2] partition=main
[   588] job 20 is task 3 of 16
[   588] job 20 started n3 partition=main
[   588] job 21 is task 4 of 16
[   588] job 21 started n3 partition=main
[   588] job 22 is task 5 of 16
[   588] job 22 started n[2-3] partition=main
[   588] job 23 is task 6 of 16
[   588] job 23 started n4 partition=main
[   588] job 16 started n4 partition=main
[   595] n4 is idle*
[   622] n1 restarts its agent
[   624] n1 is up
[   629] controller 1 crashed
[   631] n1 loses its connection
[   645] n4 is down*: Not responding
[   645] job 23 goes back to the queue
[   645] job 16 goes back to the queue
[   649] job 15 is forgotten
[   664] job 21 ended COMPLETED
[   664] job 16 started n3 partition=main
[   664] job 22 ended COMPLETED
[   664] job 19 ended COMPLETED
[   664] job 22 left a node
[   664] job 20 ended COMPLETED
[   664] job 23 started n3 partition=main
[   664] job 19 left a node
[   664] job 17 ended COMPLETED
[   665] job 18 ended COMPLETED
[   728] n4 booted
[   728] n4 is up
[   740] job 16 ended COMPLETED
[   741] job 23 ended COMPLETED
[   783] job 21 is forgotten
[   783] job 19 is forgotten
[   783] job 22 is forgotten
[   784] job 17 is forgotten
[   784] job 18 is forgotten
[   784] job 20 is forgotten
[   860] job 23 is forgotten
[   860] job 16 is forgotten
