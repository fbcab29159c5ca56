/* libcuda: start, versions, and what a device says about itself. */
#include "sim_cuda.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static SimDevice devices[SIM_MAX_GPUS];
static int count = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int sim_is_initialized(void) { return count > 0; }
int sim_device_count(void) { return count; }
SimDevice *sim_device(CUdevice ordinal) {
    return ordinal >= 0 && ordinal < count ? &devices[ordinal] : NULL;
}

SIM_EXPORT CUresult cuInit(unsigned flags) {
    SIM_ENTER();
    if (flags) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (count < 0) count = sim_visible_devices(devices);
    pthread_mutex_unlock(&lock);
    return count ? CUDA_SUCCESS : NO_DEVICE;
}

SIM_EXPORT CUresult cuDriverGetVersion(int *version) {
    SIM_ENTER();
    if (!version) return INVALID_VALUE;
    *version = (int)sim_scenario()->cuda_version;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetCount(int *number) {
    SIM_ENTER();
    SIM_READY();
    if (!number) return INVALID_VALUE;
    *number = count;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    SIM_ENTER();
    SIM_READY();
    if (!device) return INVALID_VALUE;
    if (!sim_device(ordinal)) return INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    SIM_ENTER();
    SIM_READY();
    SimDevice *one = sim_device(device);
    if (!one) return INVALID_DEVICE;
    if (!name || size <= 0) return INVALID_VALUE;
    if (one->mig)
        snprintf(name, (size_t)size, "%s MIG %s", one->gpu->name, one->mig->name);
    else
        sim_copy(name, (size_t)size, one->gpu->name);
    return CUDA_SUCCESS;
}

static CUresult uuid_of(unsigned char *bytes, CUdevice device, int of_slice) {
    SIM_READY();
    SimDevice *one = sim_device(device);
    if (!one) return INVALID_DEVICE;
    if (!bytes) return INVALID_VALUE;
    sim_uuid_bytes(of_slice && one->mig ? one->mig->uuid : one->gpu->uuid, bytes);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetUuid(unsigned char *bytes, CUdevice device) {
    SIM_ENTER();
    return uuid_of(bytes, device, 0);
}

SIM_EXPORT CUresult cuDeviceGetUuid_v2(unsigned char *bytes, CUdevice device) {
    SIM_ENTER();
    return uuid_of(bytes, device, 1);
}

SIM_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    SIM_ENTER();
    SIM_READY();
    if (!sim_device(device)) return INVALID_DEVICE;
    if (!bytes) return INVALID_VALUE;
    *bytes = (size_t)sim_memory_total(device);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    SIM_ENTER();
    SIM_READY();
    SimDevice *one = sim_device(device);
    if (!one) return INVALID_DEVICE;
    *major = (int)one->gpu->major;
    *minor = (int)one->gpu->minor;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
    SIM_ENTER();
    SIM_READY();
    SimDevice *one = sim_device(device);
    if (!one) return INVALID_DEVICE;
    if (!text || size < 13) return INVALID_VALUE;
    unsigned domain, bus, number;
    sim_pci_parts(one->gpu->pci, &domain, &bus, &number);
    snprintf(text, (size_t)size, "%04X:%02X:%02X.0", domain, bus, number);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    SIM_ENTER();
    SIM_READY();
    if (!device || !text) return INVALID_VALUE;
    unsigned asked[3], own[3];
    sim_pci_parts(text, &asked[0], &asked[1], &asked[2]);
    for (int i = 0; i < count; i++) {
        sim_pci_parts(devices[i].gpu->pci, &own[0], &own[1], &own[2]);
        if (memcmp(asked, own, sizeof own)) continue;
        *device = i;
        return CUDA_SUCCESS;
    }
    return INVALID_DEVICE;
}

SIM_EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    SIM_ENTER();
    SIM_READY();
    if (!sim_device(device) || !sim_device(peer)) return INVALID_DEVICE;
    if (!can) return INVALID_VALUE;
    *can = 0;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer) {
    SIM_ENTER();
    SIM_READY();
    (void)attribute;
    if (!sim_device(device) || !sim_device(peer) || device == peer) return INVALID_DEVICE;
    if (!value) return INVALID_VALUE;
    *value = 0;
    return CUDA_SUCCESS;
}
