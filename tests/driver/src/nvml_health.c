/* NVML: what can be wrong with a device: ECC, retired and remapped memory, throttling, Xid events, licences. */
#define _GNU_SOURCE
#include "sim_nvml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

SIM_EXPORT nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, int *current, int *pending) {
    SIM_ENTER();
    SIM_HANDLE(device, current && pending);
    if (!device->gpu->ecc_supported) return NOT_SUPPORTED;
    *current = (int)device->gpu->ecc_mode;
    *pending = (int)device->gpu->ecc_pending;
    return NVML_SUCCESS;
}

/* type: 0 corrected, 1 uncorrected. counter: 0 since the driver was loaded, 1 in the device's life. */
static nvmlReturn_t errors(nvmlDevice_t device, int type, int counter, u64 *count) {
    SIM_HANDLE(device, count);
    const SimGpu *gpu = device->gpu;
    if (!gpu->ecc_supported || !gpu->ecc_mode) return NOT_SUPPORTED;
    if (type < 0 || type > 1 || counter < 0 || counter > 1) return INVALID_ARGUMENT;
    const long long counts[2][2] = {{gpu->ecc_corrected_volatile, gpu->ecc_corrected_aggregate},
                                    {gpu->ecc_uncorrected_volatile, gpu->ecc_uncorrected_aggregate}};
    *count = (u64)counts[type][counter];
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, int type, int counter, u64 *count) {
    SIM_ENTER();
    return errors(device, type, counter, count);
}

/* All of the scenario's errors lie in the device's memory (location 2), none elsewhere. */
SIM_EXPORT nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, int type, int counter, int location,
                                                        u64 *count) {
    SIM_ENTER();
    nvmlReturn_t answer = errors(device, type, counter, count);
    if (!answer && location != 2) *count = 0;
    return answer;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetDetailedEccErrors(nvmlDevice_t device, int type, int counter, u64 counts[4]) {
    SIM_ENTER();
    u64 in_memory = 0;
    nvmlReturn_t answer = counts ? errors(device, type, counter, &in_memory) : INVALID_ARGUMENT;
    if (answer) return answer;
    memset(counts, 0, 4 * sizeof *counts);
    counts[2] = in_memory;
    return NVML_SUCCESS;
}

/* cause: 0 several single-bit errors, 1 a double-bit error. A retired page is 64 KiB. */
static nvmlReturn_t retired(nvmlDevice_t device, int cause, unsigned *count, u64 *addresses, u64 *times) {
    SIM_HANDLE(device, count);
    if (device->gpu->retired_single < 0) return NOT_SUPPORTED;
    unsigned room = *count;
    *count = (unsigned)(cause ? device->gpu->retired_double : device->gpu->retired_single);
    if (!addresses || *count > room) return *count ? INSUFFICIENT_SIZE : NVML_SUCCESS;
    for (unsigned i = 0; i < *count; i++) {
        addresses[i] = 0x10000ull * (i + 1);
        if (times) times[i] = 1700000000000000ull;
    }
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, int cause, unsigned *count, u64 *addresses) {
    SIM_ENTER();
    return retired(device, cause, count, addresses, NULL);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device, int cause, unsigned *count, u64 *addresses,
                                                     u64 *times) {
    SIM_ENTER();
    return retired(device, cause, count, addresses, times);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t device, int *pending) {
    SIM_ENTER();
    SIM_HANDLE(device, pending);
    if (device->gpu->retired_single < 0) return NOT_SUPPORTED;
    *pending = (int)device->gpu->retired_pending;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned *corrected, unsigned *uncorrected,
                                                  unsigned *pending, unsigned *failed) {
    SIM_ENTER();
    SIM_HANDLE(device, corrected && uncorrected && pending && failed);
    if (!device->gpu->remapped_supported) return NOT_SUPPORTED;
    *corrected = (unsigned)device->gpu->remapped_corrected;
    *uncorrected = (unsigned)device->gpu->remapped_uncorrected;
    *pending = (unsigned)device->gpu->remapped_pending;
    *failed = (unsigned)device->gpu->remapped_failed;
    return NVML_SUCCESS;
}

static nvmlReturn_t clock_reasons(nvmlDevice_t device, u64 *reasons) {
    SIM_HANDLE(device, reasons);
    *reasons = (u64)device->gpu->clock_reasons;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, u64 *reasons) {
    SIM_ENTER();
    return clock_reasons(device, reasons);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, u64 *reasons) {
    SIM_ENTER();
    return clock_reasons(device, reasons);
}

static nvmlReturn_t every_clock_reason(nvmlDevice_t device, u64 *reasons) {
    SIM_HANDLE(device, reasons);
    *reasons = 0x1ff;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device, u64 *reasons) {
    SIM_ENTER();
    return every_clock_reason(device, reasons);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetSupportedClocksEventReasons(nvmlDevice_t device, u64 *reasons) {
    SIM_ENTER();
    return every_clock_reason(device, reasons);
}

SIM_EXPORT nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned *celsius) {
    SIM_ENTER();
    SIM_HANDLE(device, celsius);
    if (sensor) return INVALID_ARGUMENT;
    *celsius = (unsigned)device->gpu->temperature;
    return NVML_SUCCESS;
}

typedef struct {
    unsigned version;
    int sensor, celsius;
} Temperature;

SIM_EXPORT nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, Temperature *temperature) {
    SIM_ENTER();
    SIM_HANDLE(device, temperature);
    if (temperature->sensor) return INVALID_ARGUMENT;
    temperature->celsius = (int)device->gpu->temperature;
    return NVML_SUCCESS;
}
