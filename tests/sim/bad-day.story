# --seed 1 --nodes 4 --jobs 8
[     0] controller 1 leads
[     0] configured 4 nodes, 3 partitions
[     0] n3 is up
[     1] n4 is up
[     2] n1 is up
[     2] n2 is up
[    46] n1 loses its connection
[    48] n4 restarts its agent
[    52] job 1 submitted uid=1001 partition=main
[    52] job 1 started n1 partition=main
[    52] n4 is up
[    60] the clock of controller 2 steps to -9 s
[   118] controller 1 crashed
[   120] controller 2 leads
[   130] job 2 submitted uid=1003 partition=main
[   130] job 2 started n1 partition=main
[   131] n2 restarts its agent
[   143] job 2 is warned
[   144] n2 is idle*
[   156] job 2 ended COMPLETED
[   171] n3 restarts its agent
[   174] n3 is up
[   183] job 3 submitted uid=1002 partition=main
[   183] job 3 started n1 partition=main
[   183] job 3 step 0 started
[   190] n1 crashed
[   194] n2 is down*: Not responding
[   211] n1 is idle*
[   218] controller 1 crashed
[   229] job 4 submitted uid=1002 partition=gpu array depends on afterany:1(unfulfilled)
[   236] n2 is up
[   249] n3 loses its connection
[   261] n1 is down*: Not responding
[   261] job 1 goes back to the queue
[   261] job 3 ended NODE_FAIL exit=0:1 reason=NodeDown
[   261] job 1 started n2 partition=main
[   275] job 2 is forgotten
[   286] job 5 submitted uid=1000 partition=main
[   286] job 5 started n2 partition=main
[   287] n4 crashed
[   293] n1 booted
[   293] n1 is up
[   295] n2 restarts its agent
[   299] n2 is up
[   305] n4 is idle*
[   309] job 5 ended COMPLETED
[   311] n1 loses its connection
[   318] job 6 submitted uid=1001 partition=main array depends on after:1+1(unfulfilled)
[   320] job 6 depends on nothing any more
[   320] job 7 is task 0 of 6
[   320] job 7 started n1 partition=main
[   320] job 8 is task 1 of 6
[   320] job 8 started n[2-3] partition=main
[   355] n4 is down*: Not responding
[   360] controller 2 crashed
[   362] controller 1 leads
[   365] n2 loses its connection
[   371] job 3 is forgotten
[   383] job 7 ended FAILED exit=5:0 reason=NonZeroExitCode
[   383] job 9 is task 2 of 6
[   383] job 9 started n1 partition=main
[   383] job 8 ended FAILED exit=5:0 reason=NonZeroExitCode
[   383] job 8 left a node
[   383] job 10 is task 3 of 6
[   383] job 10 started n[2-3] partition=main
[   384] n2 loses its connection
[   386] job 1 is changed
[   405] controller 1 crashed
[   407] controller 2 leads
[   410] job 1 ended COMPLETED
[   410] job 4 depends on nothing any more
[   429] job 5 is forgotten
[   446] job 10 ended FAILED exit=5:0 reason=NonZeroExitCode
[   447] job 10 left a node
[   447] job 11 is task 4 of 6
[   447] job 11 started n2 partition=main
[   447] job 9 ended FAILED exit=5:0 reason=NonZeroExitCode
[   447] job 12 is task 5 of 6
[   447] job 12 started n1 partition=main
[   450] job 13 submitted uid=1000 partition=short,main
[   450] job 13 started n3 partition=main
[   450] job 13 step 0 started
[   454] n3 restarts its agent
[   456] n3 is up
[   467] job 14 submitted uid=1001 partition=short,main held
[   485] n4 booted
[   485] n4 is up
[   485] job 15 is task 0 of 4
[   485] job 15 started n4 partition=gpu
[   485] job 16 is task 1 of 4
[   485] job 16 started n4 partition=gpu
[   510] job 11 ended FAILED exit=5:0 reason=NonZeroExitCode
[   510] job 17 is task 6 of 6
[   510] job 17 started n2 partition=main
[   511] job 12 ended FAILED exit=5:0 reason=NonZeroExitCode
[   511] job 18 is task 7 of 6
[   511] job 18 started n1 partition=main
[   512] job 8 is forgotten
[   512] job 7 is forgotten
[   530] job 1 is forgotten
[   531] job 13 step 0 ended on a node
[   531] job 13 ended COMPLETED
[   531] job 13 left a node
[   546] job 16 ended COMPLETED
[   546] job 19 is task 2 of 4
[   546] job 19 started n4 partition=gpu
[   547] job 15 ended COMPLETED
[   547] job 4 started n4 partition=gpu
[   553] n1 restarts its agent
[   553] n1 is up
[   566] job 10 is forgotten
[   566] job 9 is forgotten
[   574] job 17 ended FAILED exit=5:0 reason=NonZeroExitCode
[   574] job 20 is task 8 of 6
[   574] job 20 started n2 partition=main
[   574] job 18 ended FAILED exit=5:0 reason=NonZeroExitCode
[   574] job 21 is task 9 of 6
[   574] job 21 started n1 partition=main
[   607] job 19 ended COMPLETED
[   608] job 4 ended COMPLETED
[   628] n1 loses its connection
[   630] job 12 is forgotten
[   630] job 11 is forgotten
[   637] job 20 ended FAILED exit=5:0 reason=NonZeroExitCode
[   637] job 22 is task 10 of 6
[   637] job 22 started n2 partition=main
[   638] job 21 ended FAILED exit=5:0 reason=NonZeroExitCode
[   638] job 6 started n1 partition=main
[   650] job 13 is forgotten
[   666] job 16 is forgotten
[   666] job 15 is forgotten
[   693] job 17 is forgotten
[   693] job 18 is forgotten
[   701] job 22 ended FAILED exit=5:0 reason=NonZeroExitCode
[   701] job 6 ended FAILED exit=5:0 reason=NonZeroExitCode
[   727] job 19 is forgotten
[   728] job 4 is forgotten
[   757] job 20 is forgotten
[   757] job 21 is forgotten
[   820] job 22 is forgotten
[   821] job 6 is forgotten
[   893] job 14 is released
[   893] job 14 started n1 partition=short
[   975] job 14 ended FAILED exit=5:0 reason=NonZeroExitCode
