/* client2 - a program that speaks PMI-2 by Slurm's own library; `abort` ends badly. */
#include <stdio.h>
#include <string.h>

/* as pmi2.h has them; the header is in no package without the rest of Slurm */
int PMI2_Init(int *spawned, int *size, int *rank, int *appnum);
int PMI2_Finalize(void);
int PMI2_Abort(int flag, const char *msg);
int PMI2_Job_GetId(char *jobid, int size);
int PMI2_KVS_Put(const char *key, const char *value);
int PMI2_KVS_Fence(void);
int PMI2_KVS_Get(const char *jobid, int src, const char *key, char *value, int size, int *len);
int PMI2_Info_GetJobAttr(const char *name, char *value, int size, int *found);

int main(int argc, char **argv)
{
    int spawned, size, rank, appnum, found = 0, len = 0;
    char job[64] = "", key[32], value[1024], want[64], map[1024] = "";
    if (PMI2_Init(&spawned, &size, &rank, &appnum) || PMI2_Job_GetId(job, sizeof(job)))
        return 1;
    if (argc > 1 && !strcmp(argv[1], "abort") && rank == 1)
        PMI2_Abort(1, "enough; of this");
    snprintf(key, sizeof(key), "k%d", rank);
    snprintf(value, sizeof(value), "v;%d", rank);
    if (PMI2_Info_GetJobAttr("PMI_process_mapping", map, sizeof(map), &found) || PMI2_KVS_Put(key, value) ||
        PMI2_KVS_Fence())
        return 2;
    snprintf(key, sizeof(key), "k%d", (rank + 1) % size);
    snprintf(want, sizeof(want), "v;%d", (rank + 1) % size);
    if (PMI2_KVS_Get(job, -1, key, value, sizeof(value), &len))
        return 3;
    printf("task %d of %d: %s: %s\n", rank, size, map, found && !strcmp(value, want) ? "fine" : "wrong");
    return PMI2_Finalize() ? 4 : 0;
}
