say "matching sets beside other features"
put -N1 -C 'intel&[rack1|rack2]'
put -N1 -C '[rack1|rack2]&intel'
put -N2 -C 'amd&[rack1|rack2]'
put -N1 -C '[rack1|rack2]&amd'
put -N2 -C '[(rack1&intel)|(rack2&amd)]'
put -N1 -C '[(rack2&amd)|(rack1&intel)]'
put -N1 -C '[nosuch|rack1]'
