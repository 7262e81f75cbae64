/* check - a small MPI program: prints where it runs, passes a token around a ring, sums and compares; the words `abort`
 * and `die` make it fail. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Round the ring: each adds its rank, the first gets the sum of all. */
static long ring(int rank, int size)
{
    long token = 0;
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    if (size == 1)
        return 0;
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_LONG, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    MPI_Send(&token, 1, MPI_LONG, next, 7, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&token, 1, MPI_LONG, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return token;
}

/* More than fits into one packet, so that the real transports are used. */
static int allreduce(int rank, int size)
{
    enum { N = 100000 };
    double *mine = malloc(N * sizeof(*mine)), *sum = malloc(N * sizeof(*sum));
    int top, bad = 0;
    for (int i = 0; i < N; i++)
        mine[i] = rank + i;
    MPI_Allreduce(mine, sum, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &top, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        bad += sum[i] != (double)size * i + (double)size * (size - 1) / 2;
    free(mine);
    free(sum);
    return !bad && top == size - 1;
}

int main(int argc, char **argv)
{
    int rank, size;
    const char *how = argc > 1 ? argv[1] : "", *node = getenv("SLURMD_NODENAME");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(how, "abort") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(how, "die") && rank == 1)
        _exit(3);
    long token = ring(rank, size);
    int fine = allreduce(rank, size);
    printf("hello from %d of %d on %s: allreduce %s\n", rank, size, node ? node : "?", fine ? "right" : "wrong");
    if (rank == 0)
        printf("ring %s\n", token == (long)size * (size - 1) / 2 ? "right" : "wrong");
    MPI_Finalize();
    return !fine;
}
