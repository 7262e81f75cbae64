# What sshare and sprio tell of accounts, and sprio of the weights.
show sshare -e
show sshare -a -o Account,User,RawShares,NormShares
show sshare -A physics,capped -a -o Account,User,RawShares,NormShares
show sshare -A physics -o Account%-12,User%6,RawShares%4
show sshare -u games -o Account,User,RawShares
show sshare -U -u games -o Account,User,RawShares
show sshare -n -P -a -o Account,User,RawShares,NormShares
show sshare -p -A capped -a -o Account,User,RawShares,GrpTRESMins,Partition
show sshare -m -A idle -a -o Account,User,Partition
show sshare -A nosuch
show sshare -u nosuch -o Account,User,RawShares
show sshare -o nosuch
show sshare --nosuch
