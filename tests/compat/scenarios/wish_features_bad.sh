say "what cannot be read"
for c in 'intel&' '&intel' 'intel||amd' '(intel' 'intel)' '[intel' 'intel]' '[intel|amd]&[rack1|rack2]' \
	'[[intel|amd]]' 'intel*' 'intel*0' 'intel*x' 'intel*-1' \
	'[intel&amd]' 'intel*1&amd*1' 'intel*1|amd*1' '[intel*1|amd*1]' '()' '[]' '(intel&amd)*1' '(intel)(amd)' 'intel,amd' \
		'intel amd' '!intel' \
	'(intel*1)' '[intel]' '([intel|amd])' '(((((((intel)))))))'; do
	put -N2 -C "$c"
done
put -C ''
