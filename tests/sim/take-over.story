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
[   115] job 1 ended COMPLETED
[   115] job 2 ended COMPLETED
[   116] n1 loses its connection
[   125] n4 booted
[   125] n4 is up
[   127] job 3 submitted uid=1002 partition=main
[   127] job 3 started n1 partition=main
[   127] job 3 step 0 started
[   127] n2 loses its connection
[   139] controller 1 crashed
[   140] controller 2 leads
[   142] job 4 submitted uid=1003 partition=short
[   142] job 4 started n1 partition=short
[   153] job 4 is warned
[   188] n1 crashed
[   197] job 5 submitted uid=1001 partition=main
[   197] job 5 started n1 partition=main
[   198] n1 is idle*
[   202] job 4 ended TIMEOUT exit=0:15 reason=TimeLimit
[   235] job 2 is forgotten
[   235] job 1 is forgotten
[   248] n1 is down*: Not responding
[   248] job 3 ended NODE_FAIL exit=0:1 reason=NodeDown
[   248] job 5 ended NODE_FAIL exit=0:1 reason=NodeDown
[   248] job 4 left a node
[   257] job 6 submitted uid=1000 partition=main held
[   277] n4 loses its connection
[   317] n1 booted
[   317] n1 is up
[   318] controller 2 steps down
[   319] controller 1 leads
[   322] job 4 is forgotten
[   345] job 7 submitted uid=1001 partition=main depends on after:1+1(unfulfilled)
[   345] job 7 depends on nothing any more
[   345] job 7 started n1 partition=main
[   368] job 3 is forgotten
[   368] job 5 is forgotten
[   426] job 7 ended COMPLETED
[   429] n4 crashed
[   445] job 8 submitted uid=1003 partition=main array
[   445] job 9 is task 0 of 8
[   445] job 9 started n[1-3] partition=main
[   445] job 10 is task 1 of 8
[   445] job 10 started n[1-3] partition=main
[   450] n4 is idle*
[   465] n2 restarts its agent
[   468] n1 crashed
[   469] n2 is up
[   477] n4 booted
[   477] n4 is up
[   481] n4 restarts its agent
[   482] n4 is up
[   486] n1 is idle*
[   512] controller 1 steps down
[   512] controller 2 leads
[   538] job 11 submitted uid=1002 partition=main
[   538] n4 loses its connection
[   546] job 7 is forgotten
[   559] n4 loses its connection
[   572] n1 is down*: Not responding
[   572] job 9 goes back to the queue
[   572] job 10 goes back to the queue
[   572] job 10 left a node
[   572] job 12 is task 2 of 8
[   572] job 12 started n[2-4] partition=main
[   572] job 9 left a node
[   572] job 10 left a node
[   572] job 9 left a node
[   572] job 8 started n[2-4] partition=main
[   610] n3 restarts its agent
[   613] n3 is up
[   648] n3 restarts its agent
[   650] n1 booted
[   650] n1 is up
[   650] job 9 started n[1,3-4] partition=main
[   650] job 10 started n[1,3-4] partition=main
[   653] n3 is up
[   657] controller 2 steps down
[   659] controller 1 leads
[   709] controller 1 steps down
[   709] controller 2 leads
[   962] job 6 is released
[  1112] job 12 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1112] job 8 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1112] job 12 left a node
[  1112] job 12 left a node
[  1112] job 6 started n[3-4] partition=main
[  1112] job 8 left a node
[  1112] job 8 left a node
[  1112] job 8 left a node
[  1112] job 12 left a node
[  1135] job 6 ended COMPLETED
[  1135] job 6 left a node
[  1190] job 10 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1190] job 9 ended TIMEOUT exit=0:15 reason=TimeLimit
[  1190] job 10 left a node
[  1190] job 10 left a node
[  1190] job 9 left a node
[  1190] job 9 left a node
[  1190] job 9 left a node
[  1190] job 11 started n[1-4] partition=main
[  1191] job 10 left a node
[  1232] job 8 is forgotten
[  1232] job 12 is forgotten
[  1234] job 11 ended COMPLETED
[  1234] job 11 left a node
[  1234] job 11 left a node
[  1234] job 11 left a node
[  1255] job 6 is forgotten
