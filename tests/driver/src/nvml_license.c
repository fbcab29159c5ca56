/* NVML: the licence of a virtual GPU, in the form of nvmlDeviceGetGridLicensableFeatures_v4. The older forms stay
 * stubs: no program of today asks them. */
#include "sim_nvml.h"
#include <string.h>

typedef struct {
    unsigned year;
    unsigned short month, day, hour, minute, second;
    unsigned char status;
} Expiry;
typedef struct {
    unsigned code, state;
    char license[128], product[128];
    unsigned enabled;
    Expiry expiry;
} Feature;
typedef struct {
    int supported;
    unsigned count;
    Feature feature[3];
} Features;

enum { VIRTUAL_GPU = 1 };

SIM_EXPORT nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v4(nvmlDevice_t device, Features *features) {
    SIM_ENTER();
    SIM_HANDLE(device, features);
    const SimGpu *gpu = device->gpu;
    memset(features, 0, sizeof *features);
    features->supported = (int)gpu->license_supported;
    if (!gpu->license_supported) return NVML_SUCCESS;
    features->count = 1;
    Feature *one = &features->feature[0];
    one->code = VIRTUAL_GPU;
    one->state = (unsigned)gpu->licensed;
    one->enabled = (unsigned)gpu->licensed;
    sim_copy(one->product, sizeof one->product, gpu->license);
    one->expiry.status = gpu->licensed ? 4 : 1; /* permanent, invalid */
    return NVML_SUCCESS;
}
