say "one feature, and several at once"
put -C intel
put -C intel -N2
put -C amd -n12
put -C gpu
put -C 'rack2&amd'
put -C 'intel&rack1' -N1
put -C 'rack1&rack2'
put -C 'intel&rack1' -N2
put -C nosuch
put -C 'intel&nosuch'
put -C 'intel|nosuch'
put -C INTEL
