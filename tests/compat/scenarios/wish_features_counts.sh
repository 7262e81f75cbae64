say "so many of each"
put -N2 -C 'gpu*1'
put -N3 -C 'rack1*2'
put -N2 -C '[rack1*1&rack2*1]'
put -N4 -C '[rack1*2&rack2*2]'
put -N3 -C '[rack1*1&rack2*2]'
put -N2 -C '[fast*1&gpu*1]'
put -C '[rack1*1&rack2*2]'
put -C 'rack2*2'
say "in parentheses"
put -N2 -C '[(rack1&amd)*1&(rack2&intel)*1]'
say "more or fewer than asked for with -N"
put -N4 -C '[rack1*1&rack2*1]'
put -N1 -C '[rack1*1&rack2*1]'
put -N1-2 -C '[rack1*1&rack2*1]'
