/* NVML: event sets. A scenario's pending Xid is delivered once to each process that asks for it. */
#include "sim_nvml.h"
#include <stdlib.h>
#include <time.h>

#define XID_EVENT 8ull /* nvmlEventTypeXidCriticalError */

typedef struct SimEventSet {
    nvmlDevice_t device[SIM_MAX_GPUS];
    int count;
} *nvmlEventSet_t;

typedef struct {
    nvmlDevice_t device;
    u64 type, data;
    unsigned gpu_instance, compute_instance;
} EventData;

static int delivered[SIM_MAX_GPUS];

SIM_EXPORT nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
    SIM_ENTER();
    SIM_NVML();
    if (!set) return INVALID_ARGUMENT;
    *set = calloc(1, sizeof **set);
    return *set ? NVML_SUCCESS : 20; /* insufficient memory */
}

SIM_EXPORT nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
    SIM_ENTER();
    SIM_NVML();
    free(set);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, u64 *types) {
    SIM_ENTER();
    SIM_HANDLE(device, types);
    *types = XID_EVENT;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, u64 types, nvmlEventSet_t set) {
    SIM_ENTER();
    SIM_HANDLE(device, set);
    if (types & ~XID_EVENT) return NOT_SUPPORTED;
    if (set->count == SIM_MAX_GPUS) return INSUFFICIENT_SIZE;
    set->device[set->count++] = device;
    return NVML_SUCCESS;
}

static int take_pending(nvmlEventSet_t set, EventData *data) {
    for (int i = 0; i < set->count; i++) {
        nvmlDevice_t device = set->device[i];
        if (!device->gpu->xid || delivered[device->index]) continue;
        delivered[device->index] = 1;
        *data = (EventData){device, XID_EVENT, (u64)device->gpu->xid, ~0u, ~0u};
        return 1;
    }
    return 0;
}

static nvmlReturn_t wait(nvmlEventSet_t set, EventData *data, unsigned milliseconds) {
    SIM_NVML();
    if (!set || !data) return INVALID_ARGUMENT;
    if (take_pending(set, data)) return NVML_SUCCESS;
    struct timespec left = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left)) {}
    return TIMEOUT;
}

SIM_EXPORT nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, EventData *data, unsigned milliseconds) {
    SIM_ENTER();
    return wait(set, data, milliseconds);
}

SIM_EXPORT nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, EventData *data, unsigned milliseconds) {
    SIM_ENTER();
    return wait(set, data, milliseconds);
}
