show sinfo -o '%P %D %N'
show_keys 'PartitionName|Nodes|NodeSets|TotalNodes' scontrol show partition two
show_keys 'PartitionName|Nodes|NodeSets|TotalNodes' scontrol show partition three
show_keys 'PartitionName|Nodes|NodeSets|TotalNodes' scontrol show partition main
put -p two -N2
put -p three -N3
put -p two -N3
put -p two -w n1
