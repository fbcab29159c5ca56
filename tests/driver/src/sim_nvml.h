/* Inside the simulated NVML: its answers and what stands behind a device handle.
 * Numbers, structs and signatures are those of NVIDIA's public nvml.h, CUDA 12.9. */
#ifndef SIM_NVML_H
#define SIM_NVML_H
#include "sim_presence.h"

typedef int nvmlReturn_t;
typedef unsigned long long u64;

enum {
    NVML_SUCCESS = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    TIMEOUT = 10,
    GPU_IS_LOST = 15,
    ARGUMENT_VERSION_MISMATCH = 25,
};

/* A GPU, or one of its MIG slices. */
typedef struct SimHandle {
    SimGpu *gpu;
    SimMig *mig;
    int index;
} *nvmlDevice_t;

int sim_nvml_is_initialized(void);

/* After SIM_ENTER: the library was initialised. */
#define SIM_NVML() \
    do {           \
        if (!sim_nvml_is_initialized()) return UNINITIALIZED; \
    } while (0)

/* After SIM_ENTER: initialised, a good handle, a GPU that still answers, and a place for the answer. */
#define SIM_HANDLE(device, answer)                           \
    do {                                                     \
        if (!sim_nvml_is_initialized()) return UNINITIALIZED; \
        if (!(device) || !(answer)) return INVALID_ARGUMENT; \
        if (sim_gpu_lost((device)->gpu)) return GPU_IS_LOST; \
    } while (0)
#endif
