# Every one-letter field of sinfo -o on idle nodes: header and value.
mask 's/^(O): .*/\1: LOAD/; s/^(e): .*/\1: MB/; s/^(V|v): .*/\1: VERSION/'
for f in a A b B c C d D e E f F g G h H i I l L m M n N o O p P r R s S t T u U v w X Y z Z V; do
	printf '%s: ' "$f"
	sinfo -p half -o "[%$f]" 2>&1 | paste -sd' '
done
scontrol update NodeName=n2 State=DRAIN Reason='bad disk'
for f in a A C D E F H N t T u U; do
	printf '%s: ' "$f"
	sinfo -p half -o "[%$f]" 2>&1 | LC_ALL=C sort | paste -sd' '
done
scontrol update NodeName=n2 State=RESUME
