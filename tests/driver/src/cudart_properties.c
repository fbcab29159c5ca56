/* The CUDA runtime: cudaGetDeviceProperties. TensorFlow's Eigen divides by several of these numbers, so none of
 * them may stay 0. The struct is CUDA 12's cudaDeviceProp; its tail is left zero. */
#include "sim_cudart.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[256];
    unsigned char uuid[16], luid[8];
    unsigned luid_mask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int textures_and_surfaces[40];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess;
    int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int features[13], reserved[63];
} Properties;

static int attribute(int number, int device) {
    int value = 0;
    return DRIVER(cuDeviceGetAttribute, &value, number, device) ? 0 : value;
}

static void limits(Properties *p, int device) {
    p->sharedMemPerBlock = (size_t)attribute(8, device);
    p->regsPerBlock = attribute(12, device);
    p->warpSize = attribute(10, device);
    p->memPitch = (size_t)attribute(11, device);
    p->maxThreadsPerBlock = attribute(1, device);
    for (int i = 0; i < 3; i++) p->maxThreadsDim[i] = attribute(2 + i, device);
    for (int i = 0; i < 3; i++) p->maxGridSize[i] = attribute(5 + i, device);
    p->totalConstMem = (size_t)attribute(9, device);
    p->maxThreadsPerMultiProcessor = attribute(39, device);
    p->maxBlocksPerMultiProcessor = attribute(106, device);
    p->sharedMemPerMultiprocessor = (size_t)attribute(81, device);
    p->sharedMemPerBlockOptin = (size_t)attribute(97, device);
    p->reservedSharedMemPerBlock = (size_t)attribute(111, device);
    p->regsPerMultiprocessor = attribute(82, device);
}

static void nature(Properties *p, int device) {
    p->major = attribute(75, device);
    p->minor = attribute(76, device);
    p->multiProcessorCount = attribute(16, device);
    p->clockRate = attribute(13, device);
    p->memoryClockRate = attribute(36, device);
    p->memoryBusWidth = attribute(37, device);
    p->l2CacheSize = attribute(38, device);
    p->computeMode = attribute(20, device);
    p->ECCEnabled = attribute(32, device);
    p->pciBusID = attribute(33, device);
    p->pciDeviceID = attribute(34, device);
    p->pciDomainID = attribute(50, device);
    p->asyncEngineCount = attribute(40, device);
    p->textureAlignment = (size_t)attribute(14, device);
    p->texturePitchAlignment = (size_t)attribute(51, device);
    p->surfaceAlignment = (size_t)attribute(30, device);
    p->deviceOverlap = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
    p->cooperativeLaunch = p->computePreemptionSupported = 1;
    p->singleToDoublePrecisionPerfRatio = attribute(87, device);
}

static cudaError_t fill(Properties *p, int device) {
    if (!p) return CUDA_INVALID_VALUE;
    int count;
    cudaError_t code = DRIVER(cuInit, 0);
    if (!code) code = DRIVER(cuDeviceGetCount, &count);
    if (code) return code;
    if (device < 0 || device >= count) return CUDA_INVALID_DEVICE;
    memset(p, 0, sizeof *p);
    DRIVER(cuDeviceGetName, p->name, sizeof p->name, device);
    DRIVER(cuDeviceGetUuid_v2, p->uuid, device);
    DRIVER(cuDeviceTotalMem_v2, &p->totalGlobalMem, device);
    limits(p, device);
    nature(p, device);
    return CUDA_OK;
}

SIM_EXPORT cudaError_t cudaGetDeviceProperties_v2(Properties *properties, int device) {
    SIM_ENTER();
    return sim_note(fill(properties, device));
}

SIM_EXPORT cudaError_t cudaGetDeviceProperties(Properties *properties, int device) {
    SIM_ENTER();
    return sim_note(fill(properties, device));
}
