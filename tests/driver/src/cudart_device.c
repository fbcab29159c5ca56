/* The CUDA runtime: devices, versions, errors. */
#define _GNU_SOURCE
#include "sim_cudart.h"
#include <dlfcn.h>
#include <string.h>

static __thread cudaError_t last_error;
static __thread int chosen;

static int no_driver(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e) {
    (void)a, (void)b, (void)c, (void)d, (void)e;
    return CUDA_INSUFFICIENT_DRIVER;
}

SimDriverCall sim_driver(const char *function) {
    static void *library;
    if (!library) library = dlopen("libcuda.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, function) : NULL;
    return found ? (SimDriverCall)found : no_driver;
}

cudaError_t sim_note(cudaError_t code) {
    if (code) last_error = code;
    return code;
}

int sim_chosen_device(void) { return chosen; }

cudaError_t sim_use_device(void) {
    void *context = NULL;
    cudaError_t code = DRIVER(cuInit, 0);
    if (!code) code = DRIVER(cuCtxGetCurrent, &context);
    if (code || context) return code;
    code = DRIVER(cuDevicePrimaryCtxRetain, &context, chosen);
    return code ? code : DRIVER(cuCtxSetCurrent, context);
}

static cudaError_t count_of(int *count) {
    cudaError_t code = DRIVER(cuInit, 0);
    return code ? code : DRIVER(cuDeviceGetCount, count);
}

SIM_EXPORT cudaError_t cudaGetDeviceCount(int *count) {
    SIM_ENTER();
    return sim_note(count_of(count));
}

SIM_EXPORT cudaError_t cudaGetDevice(int *device) {
    SIM_ENTER();
    int current;
    *device = DRIVER(cuCtxGetDevice, &current) ? chosen : current;
    return CUDA_OK;
}

SIM_EXPORT cudaError_t cudaSetDevice(int device) {
    SIM_ENTER();
    int count;
    void *context;
    cudaError_t code = count_of(&count);
    if (!code && (device < 0 || device >= count)) code = CUDA_INVALID_DEVICE;
    if (!code) code = DRIVER(cuDevicePrimaryCtxRetain, &context, device);
    if (!code) code = DRIVER(cuCtxSetCurrent, context);
    if (!code) chosen = device;
    return sim_note(code);
}

SIM_EXPORT cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device) {
    SIM_ENTER();
    cudaError_t code = DRIVER(cuInit, 0);
    return sim_note(code ? code : DRIVER(cuDeviceGetAttribute, value, attribute, device));
}

SIM_EXPORT cudaError_t cudaDeviceSynchronize(void) {
    SIM_ENTER();
    cudaError_t code = sim_use_device();
    return sim_note(code ? code : DRIVER(cuCtxSynchronize, 0));
}

SIM_EXPORT cudaError_t cudaDeviceReset(void) {
    SIM_ENTER();
    return sim_note(DRIVER(cuDevicePrimaryCtxReset_v2, chosen));
}

SIM_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    SIM_ENTER();
    *least = 0;
    *greatest = -5;
    return CUDA_OK;
}

SIM_EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    SIM_ENTER();
    return sim_note(DRIVER(cuDeviceCanAccessPeer, can, device, peer));
}

SIM_EXPORT cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    SIM_ENTER();
    return sim_note(DRIVER(cuDeviceGetPCIBusId, text, size, device));
}

SIM_EXPORT cudaError_t cudaDriverGetVersion(int *version) {
    SIM_ENTER();
    if (DRIVER(cuDriverGetVersion, version)) *version = 0;
    return CUDA_OK;
}

SIM_EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
    SIM_ENTER();
    *version = (int)sim_scenario()->runtime_version;
    return CUDA_OK;
}

/* Neither counts as a call, so that an error stays readable whatever is broken. */
SIM_EXPORT cudaError_t cudaGetLastError(void) {
    cudaError_t code = last_error;
    last_error = CUDA_OK;
    return code;
}

SIM_EXPORT cudaError_t cudaPeekAtLastError(void) { return last_error; }

SIM_EXPORT const char *cudaGetErrorString(cudaError_t code) {
    const char *words = NULL;
    if (code == CUDA_INSUFFICIENT_DRIVER) return "CUDA driver version is insufficient for CUDA runtime version";
    return DRIVER(cuGetErrorString, code, &words) || !words ? "unrecognized error code" : words;
}

SIM_EXPORT const char *cudaGetErrorName(cudaError_t code) {
    const char *name = NULL;
    if (code == CUDA_INSUFFICIENT_DRIVER) return "cudaErrorInsufficientDriver";
    return DRIVER(cuGetErrorName, code, &name) || !name ? "unrecognized error code" : name;
}
