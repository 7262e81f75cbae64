# sinfo's filters and wrong options.
show sinfo -t nosuch
show sinfo -p nosuch
show sinfo -n nosuch
show sinfo -n 'n[1-2]' -h -p main
show sinfo -h -o '%N %t' -t idle -p half
show sinfo -V
show sinfo --version
show sinfo --nosuch
show sinfo extra
show sinfo --usage
show sinfo -h -S P
show sinfo -h -S -P
show sinfo -h -S D,P
show sinfo --noheader -p half
show sinfo --part=half -h
show sinfo --summ -h
show sinfo -N -h -p half -o '%N|%P|%c|%m|%G'
