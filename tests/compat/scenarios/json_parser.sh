# Which versions of the structure there are, what is said to a wrong one, and how dense the text is.
show_unordered squeue --json=list
show_unordered sinfo --yaml=list
show squeue --json=nosuch
show sinfo --yaml=nosuch
show scontrol show license --json=nosuch
show sdiag --json=nosuch
show sshare --yaml=nosuch
show squeue --json=v0.0.45 -j 1
shape squeue --json=v0.0.45
shape squeue --json=v0.0.42
shape sinfo --json=v0.0.44
scontrol show license ansys --json | head -3
SLURM_JSON=compact scontrol show license ansys --json | cut -c1-25
SLURM_JSON=pretty scontrol show license ansys --json | head -2
SLURM_JSON=nosuch show scontrol show license ansys --json
