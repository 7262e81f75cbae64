printf 'n3\nn4\n' >nodes.txt
put -F nodes.txt
printf 'n2,n1\n' >nodes2.txt
put -F nodes2.txt -N2
printf 'n[2-4]\n' >nodes3.txt
put -F nodes3.txt
put -F missing.txt
: >empty.txt
put -F empty.txt
printf '# a word before\nn1\n' >comment.txt
put -F comment.txt
put -w ./nodes.txt
