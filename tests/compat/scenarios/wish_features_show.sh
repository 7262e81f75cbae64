show_sorted sinfo -p main -o '%20b %20f %N'
show sinfo -N -p main -O NodeList,Features
show_keys 'ActiveFeatures|AvailableFeatures' scontrol show node n4
show sinfo -h -p two -o '%P %D %N'
sub -o /dev/null -C 'intel&(rack1|rack2)' -N2 --wrap 'sleep 300'
show squeue -h -j "$JOB" -o '%f'
show_keys 'Features' scontrol show job "$JOB"
