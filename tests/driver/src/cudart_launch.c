/* The CUDA runtime: kernels compiled into a program. Launching one does nothing (but cudart_layout.c): its results
 * stay what they were, which is mostly zero. The context is asked first: a broken one answers as a real one does. */
#include "sim_cudart.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} Dim3;

typedef struct Kernel {
    const void *host;
    const char *name;
    struct Kernel *next;
} Kernel;

#define BUCKETS 4096
#define EMPTY_BINARY "\177ELF"
static Kernel *kernels[BUCKETS];
static __thread struct {
    Dim3 grid, block;
    size_t shared;
    void *stream;
} configured;

static Kernel **bucket(const void *host) { return &kernels[((uintptr_t)host >> 4) % BUCKETS]; }

static const char *name_of(const void *host) {
    for (Kernel *kernel = *bucket(host); kernel; kernel = kernel->next)
        if (kernel->host == host) return kernel->name;
    return "unregistered";
}

/* The six below run while a program is loaded, before any scenario matters, and can't fail. */
SIM_EXPORT void **__cudaRegisterFatBinary(void *binary) {
    void **handle = malloc(sizeof *handle);
    if (handle) *handle = binary;
    return handle;
}

SIM_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

SIM_EXPORT void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

SIM_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                       void *tid, void *bid, void *block, void *grid, int *warp) {
    (void)handle, (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    Kernel *kernel = malloc(sizeof *kernel);
    if (!kernel) return;
    *kernel = (Kernel){host, name, *bucket(host)};
    *bucket(host) = kernel;
}

SIM_EXPORT void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external,
                                  size_t size, int constant, int global) {
    (void)handle, (void)host, (void)address, (void)name, (void)external, (void)size, (void)constant, (void)global;
}

SIM_EXPORT char __cudaInitModule(void **handle) {
    (void)handle;
    return 1;
}

SIM_EXPORT unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, void *stream) {
    configured.grid = grid;
    configured.block = block;
    configured.shared = shared;
    configured.stream = stream;
    return 0;
}

SIM_EXPORT cudaError_t __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared, void **stream) {
    *grid = configured.grid;
    *block = configured.block;
    *shared = configured.shared;
    *stream = configured.stream;
    return CUDA_OK;
}

static cudaError_t launch(const void *host, void **arguments) {
    int device;
    cudaError_t code = sim_use_device();
    if (!code) code = DRIVER(cuCtxGetDevice, &device);
    sim_trace("launch", name_of(host));
    if (!code) sim_change_layout(name_of(host), arguments);
    return code;
}

SIM_EXPORT cudaError_t cudaLaunchKernel(const void *host, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                                        void *stream) {
    SIM_ENTER();
    (void)grid, (void)block, (void)shared, (void)stream;
    return sim_note(launch(host, arguments));
}

SIM_EXPORT cudaError_t cudaLaunchKernelExC(const void *config, const void *host, void **arguments) {
    SIM_ENTER();
    (void)config;
    return sim_note(launch(host, arguments));
}

SIM_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *host, Dim3 grid, Dim3 block, void **arguments,
                                                   size_t shared, void *stream) {
    SIM_ENTER();
    (void)grid, (void)block, (void)shared, (void)stream;
    return sim_note(launch(host, arguments));
}

/* A kernel of the program as the driver's kind of function: one that does nothing. */
SIM_EXPORT cudaError_t cudaGetFuncBySymbol(void **function, const void *host) {
    SIM_ENTER();
    void *module = NULL;
    cudaError_t code = sim_use_device();
    if (!code) code = DRIVER(cuModuleLoadData, &module, EMPTY_BINARY);
    return sim_note(code ? code : DRIVER(cuModuleGetFunction, function, module, name_of(host)));
}

typedef struct {
    size_t shared, constant, local;
    int threads, registers, ptx, binary, cache, dynamic_shared, carveout, tail;
} Attributes;

SIM_EXPORT cudaError_t cudaFuncGetAttributes(Attributes *attributes, const void *host) {
    SIM_ENTER();
    (void)host;
    memset(attributes, 0, offsetof(Attributes, tail));
    attributes->threads = 1024;
    attributes->registers = 32;
    attributes->ptx = attributes->binary = 80;
    attributes->dynamic_shared = 49152;
    return CUDA_OK;
}

SIM_EXPORT cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value) {
    SIM_ENTER();
    (void)host, (void)attribute, (void)value;
    return CUDA_OK;
}

SIM_EXPORT cudaError_t cudaFuncSetCacheConfig(const void *host, int config) {
    SIM_ENTER();
    (void)host, (void)config;
    return CUDA_OK;
}

static cudaError_t occupancy(int *blocks, int block_size) {
    if (!blocks || block_size <= 0) return CUDA_INVALID_VALUE;
    *blocks = block_size >= 1536 ? 1 : 1536 / block_size;
    return CUDA_OK;
}

SIM_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int block_size,
                                                                     size_t shared) {
    SIM_ENTER();
    (void)host, (void)shared;
    return sim_note(occupancy(blocks, block_size));
}

SIM_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                              int block_size, size_t shared,
                                                                              unsigned flags) {
    SIM_ENTER();
    (void)host, (void)shared, (void)flags;
    return sim_note(occupancy(blocks, block_size));
}
