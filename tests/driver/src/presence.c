/* What each living process holds on each GPU, so that another process' NVML sees it.
 * A process writes the folder "<scenario>.processes": one file per pid, one number per GPU: -1 for none. */
#define _GNU_SOURCE
#include "sim_presence.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long long *own;
static pid_t owner;

static void folder(char *path, size_t size) {
    snprintf(path, size, "%.4000s.processes", sim_scenario()->path);
}

static long long *open_own(void) {
    char path[4200];
    folder(path, 4096);
    mkdir(path, 0755);
    snprintf(path + strlen(path), 64, "/%d", (int)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return NULL; /* a read-only folder: others do not see this process */
    size_t size = SIM_MAX_GPUS * sizeof *own;
    void *memory = ftruncate(file, (off_t)size) ? MAP_FAILED
                                                : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return NULL;
    memset(memory, 0xff, size);
    return memory;
}

void sim_presence_publish(int gpu_index, long long bytes) {
    if (owner != getpid()) {
        owner = getpid();
        own = open_own();
    }
    if (own) own[gpu_index] = bytes;
}

/* A zombie has given its memory back already. */
static int is_alive(long long pid) {
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%lld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
    fclose(file);
    return state != 'Z' && state != 'X';
}

int sim_presence_list(int gpu_index, SimHolder *holders, int room) {
    char path[4096];
    folder(path, sizeof path);
    DIR *directory = opendir(path);
    if (!directory) return 0;
    int count = 0;
    struct dirent *entry;
    while (count < room && (entry = readdir(directory))) {
        char *end;
        long long pid = strtoll(entry->d_name, &end, 10), held[SIM_MAX_GPUS];
        if (*end || !pid || !is_alive(pid)) continue;
        int file = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (read(file, held, sizeof held) == sizeof held && held[gpu_index] >= 0)
            holders[count++] = (SimHolder){pid, held[gpu_index]};
        close(file);
    }
    closedir(directory);
    return count;
}
