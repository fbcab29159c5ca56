/* NVML: how a device is used: memory, processes, load, clocks, modes. */
#include "sim_nvml.h"
#include <string.h>

typedef struct {
    u64 total, unused, used;
} Memory;
typedef struct {
    unsigned version;
    u64 total, reserved, unused, used;
} MemoryV2;
typedef struct {
    unsigned pid;
    u64 bytes;
} ProcessV1;
typedef struct {
    unsigned pid;
    u64 bytes;
    unsigned gpu_instance, compute_instance;
} ProcessV2;

static u64 total_of(nvmlDevice_t device) {
    return (u64)(device->mig ? device->mig->memory_total : device->gpu->memory_total);
}

/* The scenario's share and that of every living simulated process. */
static u64 used_of(nvmlDevice_t device) {
    SimHolder holders[SIM_MAX_PROCESSES];
    int count = sim_presence_list(device->index, holders, SIM_MAX_PROCESSES);
    u64 used = (u64)(device->mig ? device->mig->memory_used : device->gpu->memory_used);
    for (int i = 0; i < count; i++) used += (u64)holders[i].bytes;
    return used < total_of(device) ? used : total_of(device);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, Memory *memory) {
    SIM_ENTER();
    SIM_HANDLE(device, memory);
    u64 used = used_of(device);
    *memory = (Memory){total_of(device), total_of(device) - used, used};
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, MemoryV2 *memory) {
    SIM_ENTER();
    SIM_HANDLE(device, memory);
    if (memory->version != (sizeof *memory | 2u << 24)) return ARGUMENT_VERSION_MISMATCH;
    u64 used = used_of(device);
    *memory = (MemoryV2){memory->version, total_of(device), 0, total_of(device) - used, used};
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, Memory *memory) {
    SIM_ENTER();
    SIM_HANDLE(device, memory);
    *memory = (Memory){256 << 20, 255 << 20, 1 << 20};
    return NVML_SUCCESS;
}

static int gather(nvmlDevice_t device, SimHolder *all) {
    int count = 0;
    for (; count < device->gpu->process_count; count++)
        all[count] = (SimHolder){device->gpu->process[count].pid, device->gpu->process[count].bytes};
    return count + sim_presence_list(device->index, all + count, SIM_MAX_PROCESSES);
}

/* Fills `list`, whose entries are `size` bytes long and begin as ProcessV1 does. */
static nvmlReturn_t processes(nvmlDevice_t device, unsigned *count, char *list, size_t size) {
    SIM_HANDLE(device, count);
    SimHolder all[2 * SIM_MAX_PROCESSES];
    unsigned room = *count;
    *count = (unsigned)gather(device, all);
    if (*count > room) return INSUFFICIENT_SIZE;
    for (unsigned i = 0; list && i < *count; i++) {
        u64 bytes = all[i].bytes < 0 ? ~0ull : (u64)all[i].bytes; /* all ones: not available, as under WSL */
        ProcessV2 entry = {(unsigned)all[i].pid, bytes, ~0u, ~0u};
        memcpy(list + i * size, &entry, size);
    }
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned *count, void *list) {
    SIM_ENTER();
    return processes(device, count, list, sizeof(ProcessV1));
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count, void *list) {
    SIM_ENTER();
    return processes(device, count, list, sizeof(ProcessV2));
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count, void *list) {
    SIM_ENTER();
    return processes(device, count, list, sizeof(ProcessV2));
}

static nvmlReturn_t none(nvmlDevice_t device, unsigned *count) {
    SIM_HANDLE(device, count);
    *count = 0;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned *count, void *list) {
    SIM_ENTER();
    (void)list;
    return none(device, count);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count, void *list) {
    SIM_ENTER();
    (void)list;
    return none(device, count);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, unsigned rates[2]) {
    SIM_ENTER();
    SIM_HANDLE(device, rates);
    if (device->mig) return NOT_SUPPORTED;
    rates[0] = (unsigned)device->gpu->utilization_gpu;
    rates[1] = (unsigned)device->gpu->utilization_memory;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, int *mode) {
    SIM_ENTER();
    SIM_HANDLE(device, mode);
    *mode = (int)device->gpu->compute_mode;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, int *mode) {
    SIM_ENTER();
    SIM_HANDLE(device, mode);
    *mode = (int)device->gpu->persistence;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts) {
    SIM_ENTER();
    SIM_HANDLE(device, milliwatts);
    *milliwatts = (unsigned)device->gpu->power;
    return NVML_SUCCESS;
}

static nvmlReturn_t power_limit(nvmlDevice_t device, unsigned *milliwatts) {
    SIM_HANDLE(device, milliwatts);
    *milliwatts = (unsigned)device->gpu->power_limit;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts) {
    SIM_ENTER();
    return power_limit(device, milliwatts);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *milliwatts) {
    SIM_ENTER();
    return power_limit(device, milliwatts);
}

static nvmlReturn_t clock_of(nvmlDevice_t device, int type, unsigned *megahertz) {
    SIM_HANDLE(device, megahertz);
    if (type < 0 || type > 3) return INVALID_ARGUMENT;
    *megahertz = (unsigned)(type == 2 ? device->gpu->clock_memory : device->gpu->clock_sm);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned *megahertz) {
    SIM_ENTER();
    return clock_of(device, type, megahertz);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, int type, unsigned *megahertz) {
    SIM_ENTER();
    return clock_of(device, type, megahertz);
}
