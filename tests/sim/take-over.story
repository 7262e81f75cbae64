# --seed 2 --nodes 3 --jobs 6
[     0] controller 1 leads
[     0] configured 3 nodes, 3 partitions
[     0] n2 is up
[     1] n1 is up
[     4] n3 is up
[    11] job 1 submitted uid=1000 partition=main
[    11] job 1 started n1 partition=main
[    11] job 1 step 0 started
[    16] n3 loses its connection
[    61] job 1 step 0 ended on a node
[    61] job 1 ended COMPLETED
[    61] job 1 left a node
[    66] n1 loses its connection
[    87] job 2 submitted uid=1000 partition=main
[    87] job 2 started n1 partition=main
[   116] n2 loses its connection
[   125] job 2 ended COMPLETED
[   174] job 3 submitted uid=1000 partition=main array
[   174] job 4 is task 0 of 3
[   174] job 4 started n1 partition=main
[   174] job 5 is task 1 of 3
[   174] job 5 started n1 partition=main
[   181] job 1 is forgotten
[   215] refused: Job dependency problem
[   245] job 2 is forgotten
[   279] n3 loses its connection
[   282] controller 1 steps down
[   284] n1 crashed
[   284] controller 2 leads
[   284] configured 3 nodes, 3 partitions
[   290] controller 2 steps down
[   291] controller 1 leads
[   291] configured 3 nodes, 3 partitions
[   301] n1 is idle*
[   301] n3 is idle*
[   317] job 6 submitted uid=1003 partition=gpu
[   321] n3 is up
[   321] job 6 started n3 partition=gpu
[   328] job 6 ended COMPLETED
[   351] n1 is down*: Not responding
[   351] job 4 goes back to the queue
[   351] job 5 goes back to the queue
[   351] job 7 is task 2 of 3
[   351] job 7 started n2 partition=main
[   351] job 3 started n2 partition=main
[   351] job 4 started n2 partition=main
[   351] job 5 started n2 partition=main
[   365] n1 booted
[   365] n1 is up
[   389] n2 loses its connection
[   429] job 8 submitted uid=1002 partition=main
[   448] job 6 is forgotten
[   476] n2 loses its connection
[   484] n1 loses its connection
[   494] n1 restarts its agent
[   497] n1 is up
[   521] controller 1 crashed
[   523] controller 2 leads
[   523] configured 3 nodes, 3 partitions
[   541] controller 2 crashed
[   544] controller 1 leads
[   544] configured 3 nodes, 3 partitions
[   557] n3 loses its connection
[   574] n3 loses its connection
[   599] job 8 started n[1-2] partition=main
[   599] job 8 step 0 started
[   609] n1 restarts its agent
[   612] controller 1 steps down
[   614] controller 2 leads
[   614] configured 3 nodes, 3 partitions
[   617] n3 loses its connection
[   624] n1 is idle*
[   663] job 8 step 0 ended on a node
[   674] n1 is down*: Not responding
[   674] job 8 ended NODE_FAIL reason=NodeDown
[   674] job 8 left a node
[   700] n1 is up
[   713] n2 loses its connection
[   715] n2 is drained: a look inside
[   757] controller 2 crashed
[   760] controller 1 leads
[   760] configured 3 nodes, 3 partitions
[   794] job 8 is forgotten
[   951] job 3 ended TIMEOUT exit=0:15 reason=TimeLimit
[   951] job 4 ended TIMEOUT exit=0:15 reason=TimeLimit
[   951] job 5 ended TIMEOUT exit=0:15 reason=TimeLimit
[   951] job 7 ended TIMEOUT exit=0:15 reason=TimeLimit
[   951] job 5 left a node
[   959] job 3 left a node
[   959] job 7 left a node
[   959] job 4 left a node
