for n in 1 2 3 4; do
	show_keys 'NodeName|CPUTot|CPUEfctv|CoreSpecCount|CPUSpecList|MemSpecLimit|RealMemory|CfgTRES' scontrol show node n$n
done
show sinfo -N -o '%N %C %m'
put -w n2 -n6
put -w n2 -n7
put -w n2 -n8
put -w n2 --exclusive
put -w n3 --mem 3000
put -w n3 --mem 3001
put -w n3 --mem 0
put -w n4 -n4
put -w n4 -n6
put -w n4 -n7
