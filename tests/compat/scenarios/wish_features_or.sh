say "one of several"
put -N3 -C 'intel|gpu'
put -N4 -C 'rack1|rack2'
put -N2 -C 'fast|big'
put -N3 -C 'fast|big'
say "read from left to right"
put -N1 -C 'fast|rack2&amd'
put -N2 -C 'fast|rack2&amd'
put -N2 -C 'rack2&amd|fast'
say "parentheses"
put -N2 -C '(rack1|rack2)&amd'
put -N2 -C 'amd&(rack1|rack2)'
put -N2 -C 'fast|(rack2&amd)'
put -N2 -C '((fast)|(gpu))'
