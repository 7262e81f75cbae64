show sinfo -N -p main -o '%N %b %f'
show scontrol update nodename=n1 ActiveFeatures=intel
show sinfo -N -p main -n n1 -o '%N %b %f'
put -C fast
put -C 'fast|gpu'
show scontrol update nodename=n1 ActiveFeatures=intel,other
show scontrol update nodename=n1 AvailableFeatures=rack1,intel,fast,new
show sinfo -N -p main -n n1 -o '%N %b %f'
put -C new
show scontrol update nodename=n1 ActiveFeatures=new
put -C new
show scontrol update nodename=n1 AvailableFeatures=rack1
show sinfo -N -p main -n n1 -o '%N %b %f'
show scontrol update nodename=n[1-2] Features=both
show sinfo -N -p main -n n1,n2 -o '%N %b %f'
put -N2 -C both
show scontrol update nodename=n3 AvailableFeatures=
show sinfo -N -p main -n n3 -o '%N %b %f'
show_keys 'ActiveFeatures|AvailableFeatures' scontrol show node n3
show scontrol update nodename=n1 AvailableFeatures=rack1,intel,fast ActiveFeatures=rack1,intel,fast
show scontrol update nodename=n2 AvailableFeatures=rack1,amd ActiveFeatures=rack1,amd
show scontrol update nodename=n3 AvailableFeatures=rack2,intel,big ActiveFeatures=rack2,intel,big
show sinfo -N -p main -o '%N %b %f'
