# --seed 2 --nodes 4 --jobs 8
[     0] controller 1 leads
[     0] configured 4 nodes, 3 partitions
[     0] n3 is up
[     2] n2 is up
[     2] n1 is up
[     2] n4 is up
[     6] n4 crashed
[    29] n4 is idle*
[    79] n4 is down*: Not responding
[    81] job 1 submitted uid=1003 partition=short array
[    81] job 2 is task 0 of 1
[    81] job 2 started n1 partition=short
[    81] job 1 started n1 partition=short
[    81] n1 loses its connection
[   114] job 2 ended COMPLETED
[   115] job 1 ended COMPLETED
[   116] n1 loses its connection
[   125] n4 booted
[   127] job 3 submitted uid=1002 partition=main
[   127] job 3 started n1 partition=main
[   127] job 3 step 0 started
[   127] n2 loses its connection
[   132] n4 is up
[   139] controller 1 crashed
[   140] controller 2 leads
[   142] job 4 submitted uid=1003 partition=short
[   142] job 4 started n1 partition=short
[   153] job 4 is warned
[   188] n2 loses its connection
[   197] job 5 submitted uid=1001 partition=main
[   197] job 5 started n1 partition=main
[   202] job 4 ended TIMEOUT exit=0:15 reason=TimeLimit
[   202] job 4 left a node
[   234] job 2 is forgotten
[   235] job 1 is forgotten
[   237] job 5 ended COMPLETED
[   257] job 6 submitted uid=1000 partition=main held
[   277] n1 loses its connection
[   289] n1 is idle*
[   318] n4 crashed
[   322] job 4 is forgotten
[   339] n4 is idle*
[   339] n1 is down*: Not responding
[   339] job 3 ended NODE_FAIL exit=0:1 reason=NodeDown
[   345] job 7 submitted uid=1001 partition=main depends on after:1+1(unfulfilled)
[   345] job 7 depends on nothing any more
[   345] job 7 started n2 partition=main
[   357] job 5 is forgotten
[   366] n4 booted
[   366] n4 is up
[   394] n1 is up
[   426] job 7 ended COMPLETED
[   429] n2 restarts its agent
[   441] n2 is up
[   445] job 8 submitted uid=1003 partition=main array
[   445] job 9 is task 0 of 8
[   445] job 9 started n[1-3] partition=main
[   445] job 10 is task 1 of 8
[   445] job 10 started n[1-3] partition=main
[   459] job 3 is forgotten
[   465] n1 crashed
[   468] n4 restarts its agent
[   469] n4 is up
[   481] controller 2 steps down
[   482] controller 1 leads
[   492] n1 is idle*
[   526] n4 loses its connection
[   538] job 11 submitted uid=1002 partition=main
[   538] n4 loses its connection
[   541] n1 is down*: Not responding
[   541] job 9 goes back to the queue
[   541] job 10 goes back to the queue
[   541] job 10 left a node
[   541] job 12 is task 2 of 8
[   541] job 12 started n[2-4] partition=main
[   541] job 9 left a node
[   541] job 9 left a node
[   541] job 10 left a node
[   541] job 8 started n[2-4] partition=main
[   546] job 7 is forgotten
[   559] n3 restarts its agent
[   562] n3 is up
[   610] n3 restarts its agent
[   615] n3 is up
[   647] n1 booted
[   647] n1 is up
[   647] job 9 started n[1,3-4] partition=main
[   647] job 10 started n[1,3-4] partition=main
[   648] controller 1 steps down
[   650] controller 2 leads
[   657] controller 2 steps down
[   658] controller 1 leads
[   709] n4 loses its connection
[   962] job 6 is released
[  1081] job 12 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1081] job 8 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1081] job 12 left a node
[  1081] job 12 left a node
[  1081] job 8 left a node
[  1081] job 8 left a node
[  1081] job 6 started n[3-4] partition=main
[  1081] job 12 left a node
[  1082] job 8 left a node
[  1104] job 6 ended COMPLETED
[  1104] job 6 left a node
[  1187] job 10 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1187] job 9 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1187] job 10 left a node
[  1187] job 9 left a node
[  1187] job 10 left a node
[  1187] job 9 left a node
[  1188] job 10 left a node
[  1188] job 11 started n[1-4] partition=main
[  1188] job 9 left a node
[  1201] job 8 is forgotten
[  1201] job 12 is forgotten
[  1238] job 6 is forgotten
[  1238] job 11 ended COMPLETED
[  1238] job 11 left a node
[  1238] job 11 left a node
[  1238] job 11 left a node
