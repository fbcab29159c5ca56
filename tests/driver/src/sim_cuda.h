/* Inside the simulated libcuda: its error numbers and the state that its files share.
 * Numbers and signatures are those of NVIDIA's public cuda.h, CUDA 12.9. */
#ifndef SIM_CUDA_H
#define SIM_CUDA_H
#include "sim.h"
#include "sim_presence.h"

typedef int CUresult, CUdevice;
typedef uintptr_t CUdeviceptr;
typedef struct SimContext *CUcontext;
typedef struct SimStream *CUstream;
typedef struct SimEvent *CUevent;
typedef struct SimModule *CUmodule;
typedef struct SimFunction *CUfunction;

enum {
    CUDA_SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    PEER_ACCESS_UNSUPPORTED = 217,
    INVALID_PTX = 218,
    UNSUPPORTED_PTX_VERSION = 222,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    NOT_SUPPORTED = 801,
    UNKNOWN = 999,
};

/* A device as this process sees it: a whole GPU or one MIG slice of it. */
typedef struct {
    SimGpu *gpu;
    SimMig *mig;
    int gpu_index;
} SimDevice;

struct SimContext {
    int device, references, primary;
    unsigned flags;
};

/* The devices left visible by CUDA_VISIBLE_DEVICES; read once, as cuInit does. */
int sim_visible_devices(SimDevice devices[SIM_MAX_GPUS]);

/* The device of that ordinal, NULL where there is none or cuInit was not called. */
SimDevice *sim_device(CUdevice ordinal);
int sim_is_initialized(void);
int sim_device_count(void);
CUcontext sim_current_context(void);

/* Bytes that `device` has left, and has in all, for this process. */
long long sim_memory_free(int device), sim_memory_total(int device);
/* True where [pointer, pointer+bytes) lies inside one living allocation. */
int sim_memory_valid(CUdeviceptr pointer, size_t bytes);

/* The graph that is being made of a stream's work; setting it fails for the default stream. */
int sim_stream_capture(CUstream stream, void *graph);
void *sim_stream_captured(CUstream stream);

/* After SIM_ENTER in functions that need cuInit, or a living current context. */
#define SIM_READY() \
    do {            \
        if (!sim_is_initialized()) return NOT_INITIALIZED; \
    } while (0)
#define SIM_CONTEXT()                                                        \
    do {                                                                     \
        int sim_broken;                                                      \
        if (!sim_is_initialized()) return NOT_INITIALIZED;                   \
        if (sim_poisoned(&sim_broken)) return sim_broken;                    \
        if (!sim_current_context()) return INVALID_CONTEXT;                  \
    } while (0)
#endif
