/* NVML: how a device is wired: PCIe, NVLink, fabric. TensorFlow 2.21 asks all three when it starts. */
#include "sim_nvml.h"
#include <string.h>

#define SIM_NUMBER(name, field)                                        \
    SIM_EXPORT nvmlReturn_t name(nvmlDevice_t device, unsigned *to) {  \
        SIM_ENTER();                                                   \
        SIM_HANDLE(device, to);                                        \
        *to = (unsigned)device->gpu->field;                            \
        return NVML_SUCCESS;                                           \
    }

SIM_NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, link_generation)
SIM_NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, link_generation_max)
SIM_NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, link_generation_max)
SIM_NUMBER(nvmlDeviceGetCurrPcieLinkWidth, link_width)
SIM_NUMBER(nvmlDeviceGetMaxPcieLinkWidth, link_width_max)

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
