# OverSubscribe=NO: no job is suspended there.
scene a plain one runs
job a -p plain -w n1 -n 8
table
job b -p high -w n1 -n 8
table
scene a plain one comes
job a -p main -w n1 -n 8
table
job b -p own -w n1 -n 8
table
scene both plain
job a -p plain -w n1 -n 8
table
job b -p own -w n1 -n 8
table
