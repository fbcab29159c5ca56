/* NVML: handles and what a device is. */
#include "sim_nvml.h"
#include <stdio.h>
#include <string.h>

static struct SimHandle handles[SIM_MAX_GPUS], slices[SIM_MAX_GPUS][SIM_MAX_MIG];

typedef struct {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char text[32];
} PciInfo;

static nvmlDevice_t handle_of(int index) {
    handles[index] = (struct SimHandle){&sim_scenario()->gpu[index], NULL, index};
    return &handles[index];
}

static nvmlReturn_t count_of(unsigned *count) {
    SIM_NVML();
    if (!count) return INVALID_ARGUMENT;
    *count = (unsigned)sim_scenario()->gpu_count;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned *count) {
    SIM_ENTER();
    return count_of(count);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
    SIM_ENTER();
    return count_of(count);
}

static nvmlReturn_t give(int index, nvmlDevice_t *device) {
    *device = handle_of(index);
    return sim_gpu_lost((*device)->gpu) ? GPU_IS_LOST : NVML_SUCCESS;
}

static nvmlReturn_t by_index(unsigned index, nvmlDevice_t *device) {
    SIM_NVML();
    if (!device || index >= (unsigned)sim_scenario()->gpu_count) return INVALID_ARGUMENT;
    return give((int)index, device);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device) {
    SIM_ENTER();
    return by_index(index, device);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
    SIM_ENTER();
    return by_index(index, device);
}

static nvmlDevice_t slice_of(int index, int number) {
    SimGpu *gpu = &sim_scenario()->gpu[index];
    slices[index][number] = (struct SimHandle){gpu, &gpu->mig[number], index};
    return &slices[index][number];
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    SIM_ENTER();
    SIM_NVML();
    if (!uuid || !device) return INVALID_ARGUMENT;
    SimScenario *scenario = sim_scenario();
    for (int i = 0; i < scenario->gpu_count; i++) {
        if (!strcmp(scenario->gpu[i].uuid, uuid)) return give(i, device);
        for (int j = 0; j < scenario->gpu[i].mig_count; j++)
            if (!strcmp(scenario->gpu[i].mig[j].uuid, uuid)) {
                *device = slice_of(i, j);
                return NVML_SUCCESS;
            }
    }
    return NOT_FOUND;
}

static nvmlReturn_t by_pci(const char *text, nvmlDevice_t *device) {
    SIM_NVML();
    if (!text || !device) return INVALID_ARGUMENT;
    unsigned asked[3], own[3];
    sim_pci_parts(text, &asked[0], &asked[1], &asked[2]);
    for (int i = 0; i < sim_scenario()->gpu_count; i++) {
        sim_pci_parts(sim_scenario()->gpu[i].pci, &own[0], &own[1], &own[2]);
        if (!memcmp(asked, own, sizeof own)) return give(i, device);
    }
    return NOT_FOUND;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *text, nvmlDevice_t *device) {
    SIM_ENTER();
    return by_pci(text, device);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *text, nvmlDevice_t *device) {
    SIM_ENTER();
    return by_pci(text, device);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index) {
    SIM_ENTER();
    SIM_HANDLE(device, index);
    *index = (unsigned)device->index;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *number) {
    SIM_ENTER();
    SIM_HANDLE(device, number);
    *number = (unsigned)device->index;
    return NVML_SUCCESS;
}

static nvmlReturn_t text(char *to, unsigned size, const char *from) {
    if (!*from) return NOT_SUPPORTED;
    if (strlen(from) + 1 > size) return INSUFFICIENT_SIZE;
    sim_copy(to, size, from);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned size) {
    SIM_ENTER();
    SIM_HANDLE(device, name);
    char full[2 * SIM_TEXT + 8];
    snprintf(full, sizeof full, device->mig ? "%s MIG %s" : "%s", device->gpu->name,
             device->mig ? device->mig->name : "");
    return text(name, size, full);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned size) {
    SIM_ENTER();
    SIM_HANDLE(device, uuid);
    return text(uuid, size, device->mig ? device->mig->uuid : device->gpu->uuid);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned size) {
    SIM_ENTER();
    SIM_HANDLE(device, serial);
    return text(serial, size, device->gpu->serial);
}

static nvmlReturn_t pci_of(nvmlDevice_t device, PciInfo *info) {
    SIM_HANDLE(device, info);
    memset(info, 0, sizeof *info);
    sim_pci_parts(device->gpu->pci, &info->domain, &info->bus, &info->device);
    info->device_id = 0x27b810de; /* NVIDIA's vendor number below a device's; the device's is an L4's */
    snprintf(info->legacy, sizeof info->legacy, "%04X:%02X:%02X.0", info->domain & 0xffff, info->bus & 0xff,
             info->device & 0xff);
    snprintf(info->text, sizeof info->text, "%08X:%02X:%02X.0", info->domain, info->bus, info->device);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, PciInfo *info) {
    SIM_ENTER();
    return pci_of(device, info);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, PciInfo *info) {
    SIM_ENTER();
    return pci_of(device, info);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, PciInfo *info) {
    SIM_ENTER();
    return pci_of(device, info);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    SIM_ENTER();
    SIM_HANDLE(device, major && minor);
    *major = (int)device->gpu->major;
    *minor = (int)device->gpu->minor;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, int *mode) {
    SIM_ENTER();
    SIM_HANDLE(device, mode);
    *mode = (int)device->gpu->virtualization;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
    SIM_ENTER();
    SIM_HANDLE(device, current && pending);
    if (device->gpu->mig_mode < 0) return NOT_SUPPORTED;
    *current = (unsigned)device->gpu->mig_mode;
    *pending = (unsigned)device->gpu->mig_pending;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count) {
    SIM_ENTER();
    SIM_HANDLE(device, count);
    *count = device->gpu->mig_mode < 0 ? 0 : 7; /* seven slices on the real ones */
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *mig) {
    SIM_ENTER();
    SIM_HANDLE(device, mig);
    if (device->gpu->mig_mode != 1) return NOT_SUPPORTED;
    if (index >= (unsigned)device->gpu->mig_count) return NOT_FOUND;
    *mig = slice_of(device->index, (int)index);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is_mig) {
    SIM_ENTER();
    SIM_HANDLE(device, is_mig);
    *is_mig = device->mig != NULL;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t mig, nvmlDevice_t *device) {
    SIM_ENTER();
    SIM_HANDLE(mig, device);
    if (!mig->mig) return INVALID_ARGUMENT;
    *device = handle_of(mig->index);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned *id) {
    SIM_ENTER();
    SIM_HANDLE(device, id);
    if (!device->mig) return NOT_SUPPORTED;
    *id = (unsigned)device->mig->gpu_instance;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned *id) {
    SIM_ENTER();
    SIM_HANDLE(device, id);
    if (!device->mig) return NOT_SUPPORTED;
    *id = (unsigned)device->mig->compute_instance;
    return NVML_SUCCESS;
}
