/* libcuda: contexts. One primary context for each device, a stack of current ones for each thread. */
#include "sim_cuda.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define DEPTH 64
static struct SimContext primary[SIM_MAX_GPUS];
static __thread CUcontext stack[DEPTH];
static __thread int depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { DEFAULT_MODE, EXCLUSIVE_THREAD, PROHIBITED, EXCLUSIVE_PROCESS };

CUcontext sim_current_context(void) { return depth ? stack[depth - 1] : NULL; }

static int held_by_another(const SimDevice *device) {
    SimHolder holders[SIM_MAX_PROCESSES];
    int count = sim_presence_list(device->gpu_index, holders, SIM_MAX_PROCESSES);
    for (int i = 0; i < count; i++)
        if (holders[i].pid != getpid()) return 1;
    return device->gpu->process_count > 0;
}

/* May this process have a context there? Busy and forbidden devices both answer 46, as the drivers of today
 * do ("all CUDA-capable devices are busy or unavailable"). */
static CUresult admit(int ordinal) {
    SimDevice *device = sim_device(ordinal);
    int broken;
    if (sim_poisoned(&broken)) return broken;
    if (sim_gpu_lost(device->gpu)) return UNKNOWN;
    if (device->gpu->compute_mode == PROHIBITED) return DEVICE_UNAVAILABLE;
    int exclusive = device->gpu->compute_mode == EXCLUSIVE_PROCESS || device->gpu->compute_mode == EXCLUSIVE_THREAD;
    if (exclusive && held_by_another(device)) return DEVICE_UNAVAILABLE;
    if (sim_memory_free(ordinal) < device->gpu->context_bytes) return OUT_OF_MEMORY;
    sim_presence_publish(device->gpu_index, device->gpu->context_bytes);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    SIM_ENTER();
    SIM_READY();
    if (!sim_device(device)) return INVALID_DEVICE;
    if (!context) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    CUresult answer = primary[device].references ? CUDA_SUCCESS : admit(device);
    if (!answer) {
        primary[device].device = device;
        primary[device].primary = 1;
        primary[device].references++;
        *context = &primary[device];
    }
    pthread_mutex_unlock(&lock);
    return answer;
}

static CUresult release(CUdevice device) {
    SIM_READY();
    if (!sim_device(device)) return INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    int held = primary[device].references;
    if (held) primary[device].references--;
    if (held == 1) sim_presence_publish(sim_device(device)->gpu_index, -1);
    pthread_mutex_unlock(&lock);
    return held ? CUDA_SUCCESS : INVALID_CONTEXT;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    SIM_ENTER();
    return release(device);
}

SIM_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    SIM_ENTER();
    return release(device);
}

static CUresult reset(CUdevice device) {
    SIM_READY();
    if (!sim_device(device)) return INVALID_DEVICE;
    sim_poison(0);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    SIM_ENTER();
    return reset(device);
}

SIM_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    SIM_ENTER();
    return reset(device);
}

SIM_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    SIM_ENTER();
    SIM_READY();
    if (!sim_device(device)) return INVALID_DEVICE;
    if (flags) *flags = primary[device].flags;
    if (active) *active = primary[device].references > 0;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    SIM_ENTER();
    SIM_READY();
    if (!sim_device(device)) return INVALID_DEVICE;
    primary[device].flags = flags;
    return CUDA_SUCCESS;
}

static CUresult push(CUcontext context) {
    if (depth == DEPTH) return INVALID_VALUE;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

static CUresult create(CUcontext *context, unsigned flags, CUdevice device) {
    SIM_READY();
    if (!sim_device(device)) return INVALID_DEVICE;
    if (!context) return INVALID_VALUE;
    CUresult answer = admit(device);
    if (answer) return answer;
    CUcontext made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->device = device;
    made->flags = flags;
    made->references = 1;
    *context = made;
    return push(made);
}

SIM_EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    SIM_ENTER();
    return create(context, flags, device);
}

SIM_EXPORT CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned flags, CUdevice device) {
    SIM_ENTER();
    (void)parameters;
    return create(context, flags, device);
}

SIM_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
    SIM_ENTER();
    SIM_READY();
    if (!context || context->primary) return INVALID_CONTEXT;
    if (depth && stack[depth - 1] == context) depth--;
    sim_presence_publish(sim_device(context->device)->gpu_index, -1);
    free(context);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
    SIM_ENTER();
    SIM_READY();
    if (depth) depth--;
    return context ? push(context) : CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
    SIM_ENTER();
    SIM_READY();
    return context ? push(context) : INVALID_CONTEXT;
}

SIM_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    SIM_ENTER();
    SIM_READY();
    if (!depth) return INVALID_CONTEXT;
    depth--;
    if (context) *context = stack[depth];
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
    SIM_ENTER();
    SIM_READY();
    if (!context) return INVALID_VALUE;
    *context = sim_current_context();
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!device) return INVALID_VALUE;
    *device = sim_current_context()->device;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
    SIM_ENTER();
    SIM_READY();
    (void)context;
    if (!version) return INVALID_VALUE;
    *version = 3020;
    return CUDA_SUCCESS;
}
