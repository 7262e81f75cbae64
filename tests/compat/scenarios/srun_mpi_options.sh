# --mpi: none, unknown words, and the library's variables for none.
show srun --mpi=none sh -c 'env | grep -cE "^PMI|^PMIX" || true'
show srun --mpi=bogus true
show srun --mpi true
SLURM_MPI_TYPE=bogus show srun true
show srun --mpi=pmi2 -n 2 -o 'e-%t' env
grep -E '^PMI' e-1 | LC_ALL=C sort | sed -E 's/^(PMI_FD|PMI_JOBID|SLURM_PMI.*)=.*/\1=X/'
show_in '' srun --mpi=list
mask '/cray_shasta|pmix|specific pmix|pmi1|mpi_none/d'
mask '/^! *$/d'
mask '/MPI: (Cannot create context|Unable to load any plugin)/d'
