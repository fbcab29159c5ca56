/* NVML: how a device is wired: PCIe, NVLink, fabric. TensorFlow 2.21 asks all three when it starts. */
#include "sim_nvml.h"
#include <string.h>

static nvmlReturn_t number(nvmlDevice_t device, unsigned *to, unsigned value) {
    SIM_HANDLE(device, to);
    *to = value;
    return NVML_SUCCESS;
}

#define SIM_NUMBER(name, value)                                        \
    SIM_EXPORT nvmlReturn_t name(nvmlDevice_t device, unsigned *to) {  \
        SIM_ENTER();                                                   \
        return number(device, to, value);                              \
    }

SIM_NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, 4)
SIM_NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, 4)
SIM_NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, 4)
SIM_NUMBER(nvmlDeviceGetCurrPcieLinkWidth, 16)
SIM_NUMBER(nvmlDeviceGetMaxPcieLinkWidth, 16)

/* No NVLink here. */
SIM_EXPORT nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, unsigned *active) {
    SIM_ENTER();
    (void)link;
    SIM_HANDLE(device, active);
    return NOT_SUPPORTED;
}

typedef struct {
    unsigned version;
    unsigned char cluster[16];
    nvmlReturn_t status;
    unsigned clique;
    unsigned char state;
    unsigned health;
} Fabric;

/* State 0: this GPU is on no fabric. */
SIM_EXPORT nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, Fabric *fabric) {
    SIM_ENTER();
    SIM_HANDLE(device, fabric);
    unsigned version = fabric->version;
    memset(fabric, 0, sizeof *fabric);
    fabric->version = version;
    return NVML_SUCCESS;
}
