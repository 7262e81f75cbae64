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
[    60] the clock of n4 steps to +3868 s
[    72] n4 is idle: Clock skew +3868 s
[   118] controller 1 crashed
[   119] controller 2 leads
[   130] job 2 submitted uid=1003 partition=main
[   130] job 2 started n1 partition=main
[   131] controller 2 steps down
[   136] controller 2 leads
[   144] job 2 is warned
[   149] job 2 ended COMPLETED
[   171] n4 loses its connection
[   183] job 3 submitted uid=1002 partition=main
[   183] job 3 started n1 partition=main
[   183] job 3 step 0 started
[   185] n3 loses its connection
[   190] n3 restarts its agent
[   201] job 1 ended COMPLETED
[   205] n3 is idle*
[   229] job 4 submitted uid=1002 partition=gpu array depends on afterany:1(unfulfilled)
[   229] job 4 depends on nothing any more
[   229] job 5 is task 0 of 4
[   229] job 5 started n4 partition=gpu
[   229] job 6 is task 1 of 4
[   229] job 6 started n4 partition=gpu
[   249] the clock of controller 2 steps to -6446 s
[   249] the clock of controller 2 is off
[   249] controller 2 steps down
[   251] controller 1 leads
[   254] n3 is up
[   265] job 3 step 0 ended on a node
[   265] job 3 ended COMPLETED
[   266] job 3 left a node
[   269] job 2 is forgotten
[   286] job 7 submitted uid=1000 partition=main
[   286] job 7 started n1 partition=main
[   287] n3 restarts its agent
[   295] n4 loses its connection
[   307] n3 is up
[   308] job 5 ended COMPLETED
[   308] job 6 ended COMPLETED
[   308] job 8 is task 2 of 4
[   308] job 8 started n4 partition=gpu
[   308] job 4 started n4 partition=gpu
[   309] job 7 ended COMPLETED
[   311] controller 1 crashed
[   313] controller 2 leads
[   318] job 9 submitted uid=1001 partition=main array depends on after:1+1(unfulfilled)
[   318] job 9 depends on nothing any more
[   318] job 10 is task 0 of 9
[   318] job 10 started n1 partition=main
[   318] job 11 is task 1 of 9
[   318] job 11 started n2 partition=main
[   322] job 1 is forgotten
[   360] n2 loses its connection
[   365] n2 loses its connection
[   369] job 4 ended COMPLETED
[   369] job 8 ended COMPLETED
[   381] job 11 ended FAILED exit=5:0 reason=NonZeroExitCode
[   381] job 12 is task 2 of 9
[   381] job 12 started n2 partition=main
[   381] job 10 ended FAILED exit=5:0 reason=NonZeroExitCode
[   381] job 13 is task 3 of 9
[   381] job 13 started n1 partition=main
[   384] controller 2 crashed
[   386] controller 1 leads
[   388] job 3 is forgotten
[   405] n3 loses its connection
[   428] job 5 is forgotten
[   428] job 6 is forgotten
[   429] job 7 is forgotten
[   445] job 13 ended FAILED exit=5:0 reason=NonZeroExitCode
[   445] job 14 is task 4 of 9
[   445] job 14 started n1 partition=main
[   445] job 12 ended FAILED exit=5:0 reason=NonZeroExitCode
[   445] job 15 is task 5 of 9
[   445] job 15 started n2 partition=main
[   450] job 16 submitted uid=1000 partition=short,main
[   450] job 16 started n3 partition=main
[   450] job 16 step 0 started
[   454] controller 1 crashed
[   457] controller 2 leads
[   467] job 17 submitted uid=1001 partition=short,main held
[   487] job 4 is forgotten
[   487] job 8 is forgotten
[   501] job 11 is forgotten
[   502] job 10 is forgotten
[   508] job 14 ended FAILED exit=5:0 reason=NonZeroExitCode
[   508] job 18 is task 6 of 9
[   508] job 18 started n1 partition=main
[   508] job 15 ended FAILED exit=5:0 reason=NonZeroExitCode
[   508] job 19 is task 7 of 9
[   508] job 19 started n2 partition=main
[   531] job 16 step 0 ended on a node
[   531] job 16 ended COMPLETED
[   531] job 16 left a node
[   553] n1 loses its connection
[   571] job 12 is forgotten
[   571] job 13 is forgotten
[   572] job 18 ended FAILED exit=5:0 reason=NonZeroExitCode
[   572] job 20 is task 8 of 9
[   572] job 20 started n1 partition=main
[   578] job 19 ended FAILED exit=5:0 reason=NonZeroExitCode
[   578] job 21 is task 9 of 9
[   578] job 21 started n2 partition=main
[   628] controller 2 crashed
[   629] controller 1 leads
[   629] job 14 is forgotten
[   629] job 15 is forgotten
[   635] job 20 ended FAILED exit=5:0 reason=NonZeroExitCode
[   635] job 22 is task 10 of 9
[   635] job 22 started n1 partition=main
[   641] job 21 ended FAILED exit=5:0 reason=NonZeroExitCode
[   641] job 9 started n2 partition=main
[   650] job 16 is forgotten
[   686] job 18 is forgotten
[   692] job 19 is forgotten
[   699] job 22 ended FAILED exit=5:0 reason=NonZeroExitCode
[   705] job 9 ended FAILED exit=5:0 reason=NonZeroExitCode
[   749] job 20 is forgotten
[   756] job 21 is forgotten
[   819] job 22 is forgotten
[   825] job 9 is forgotten
[   893] job 17 is released
[   893] job 17 started n1 partition=short
[   975] job 17 ended FAILED exit=5:0 reason=NonZeroExitCode
