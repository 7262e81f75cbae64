in_batch -L matlab:2,one <<'END'
env | grep LICENSE
END
in_batch -L 'ansys:2|matlab:1' <<'END'
env | grep LICENSE
END
show srun -L 'ansys:1|matlab:1' sh -c 'env | grep LICENSE'
SBATCH_LICENSES=one sbatch --parsable -H --wrap true >id.txt
show squeue -h -j "$(cat id.txt)" -o %W
