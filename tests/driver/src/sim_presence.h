/* What each living process holds on each GPU: written by libcuda, read by NVML and by other processes. */
#ifndef SIM_PRESENCE_H
#define SIM_PRESENCE_H
#include "sim.h"

typedef struct {
    long long pid, bytes;
} SimHolder;

/* This process holds `bytes` on the GPU; -1: no context there any more. */
void sim_presence_publish(int gpu_index, long long bytes);

/* The living processes with a context on the GPU, this one included; returns how many. */
int sim_presence_list(int gpu_index, SimHolder *holders, int room);
#endif
