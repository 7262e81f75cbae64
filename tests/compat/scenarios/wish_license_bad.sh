for l in nosuch matlab:0 matlab:5 matlab:99 matlab:x matlab: :1 'matlab:1,ansys:1|one' 'matlab@db:1' \
	matlab:1,matlab:2 'matlab*2' matlab=2 \
	matlab,nosuch 'matlab|nosuch' 'nosuch|matlab' matlab,,ansys ',matlab' 'matlab:1,' 'matlab:-1' 'matlab:2,matlab:3' \
		'matlab:9|one'; do
	put -L "$l"
done
put -L ''
show srun -L nosuch true
show salloc -L matlab:5 true
