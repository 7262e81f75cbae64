#!/bin/sh
#SBATCH --job-name=hello
#SBATCH --output=hello-%j.out
#SBATCH --time=1

echo "job $SLURM_JOB_ID runs on $SLURM_JOB_NODELIST as $(id -un), in $PWD"
sleep 2
echo "done"
