/* libcuda: cuDeviceGetAttribute. Limits are those of compute capability 8.x and 9.0 in the CUDA programming
 * guide, appendix "Compute Capabilities" (12.9, 2025); attributes that are not listed answer 0. */
#include "sim_cuda.h"

typedef struct {
    int attribute, value;
} Fixed;

static const Fixed fixed[] = {
    {1, 1024},        /* threads per block */
    {2, 1024},        /* block x */
    {3, 1024},        /* block y */
    {4, 64},          /* block z */
    {5, 2147483647},  /* grid x */
    {6, 65535},       /* grid y */
    {7, 65535},       /* grid z */
    {8, 49152},       /* shared memory per block */
    {9, 65536},       /* constant memory */
    {10, 32},         /* warp */
    {11, 2147483647}, /* pitch */
    {12, 65536},      /* registers per block */
    {14, 512},        /* texture alignment */
    {15, 1},          /* copies overlap kernels */
    {19, 1},          /* host memory can be mapped */
    {30, 512},        /* surface alignment */
    {31, 1},          /* concurrent kernels */
    {37, 384},        /* bus width, bits */
    {38, 50331648},   /* L2 cache */
    {39, 1536},       /* threads per multiprocessor */
    {40, 2},          /* copy engines */
    {41, 1},          /* unified addressing */
    {51, 32},         /* texture pitch alignment */
    {78, 1},          /* stream priorities */
    {79, 1},          /* global L1 */
    {80, 1},          /* local L1 */
    {81, 102400},     /* shared memory per multiprocessor */
    {82, 65536},      /* registers per multiprocessor */
    {83, 1},          /* managed memory */
    {87, 64},         /* single to double ratio */
    {89, 1},          /* concurrent managed access */
    {90, 1},          /* compute preemption */
    {95, 1},          /* cooperative launch */
    {97, 101376},     /* shared memory per block, opt-in */
    {99, 1},          /* host register */
    {106, 24},        /* blocks per multiprocessor */
    {111, 1024},      /* reserved shared memory per block */
    {115, 1},         /* memory pools */
    {119, 1},         /* memory pools: file descriptors */
    {131, -1},        /* NUMA id */
    {134, -1},        /* host NUMA id */
};

static int of_device(const SimDevice *device, int attribute, int *value) {
    const SimGpu *gpu = device->gpu;
    unsigned domain, bus, number;
    sim_pci_parts(gpu->pci, &domain, &bus, &number);
    switch (attribute) {
    case 13: *value = (int)gpu->clock_sm * 1000; return 1;
    case 16: *value = (int)gpu->multiprocessors; return 1;
    case 20: *value = (int)gpu->compute_mode; return 1;
    case 32: *value = (int)gpu->ecc_mode; return 1;
    case 33: *value = (int)bus; return 1;
    case 34: *value = (int)number; return 1;
    case 36: *value = (int)gpu->clock_memory * 1000; return 1;
    case 50: *value = (int)domain; return 1;
    case 75: *value = (int)gpu->major; return 1;
    case 76: *value = (int)gpu->minor; return 1;
    default: return 0;
    }
}

SIM_EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    SIM_ENTER();
    SIM_READY();
    SimDevice *one = sim_device(device);
    if (!one) return INVALID_DEVICE;
    if (!value || attribute <= 0) return INVALID_VALUE;
    if (of_device(one, attribute, value)) return CUDA_SUCCESS;
    *value = 0;
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].attribute == attribute) *value = fixed[i].value;
    return CUDA_SUCCESS;
}

/* CUdevprop: eight ints and three triples, the oldest struct of the driver API. */
SIM_EXPORT CUresult cuDeviceGetProperties(int *properties, CUdevice device) {
    SIM_ENTER();
    SIM_READY();
    static const int order[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    if (!sim_device(device)) return INVALID_DEVICE;
    if (!properties) return INVALID_VALUE;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        cuDeviceGetAttribute(&properties[i], order[i], device);
    return CUDA_SUCCESS;
}
