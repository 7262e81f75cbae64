for f in disable-binding multiple-tasks-per-sharing nosuch 'disable-binding,nosuch' ''; do
	put --gres-flags "$f"
done
