/* libcuda: launching. A kernel that came as PTX and is named tfdoctor_smoke is computed on the host; every other
 * one does nothing and succeeds. */
#include "sim_module.h"
#include <math.h>
#include <string.h>

typedef struct {
    unsigned grid, block;
} Shape;

/* tfdoctor_smoke(a, b, c, n): c[i] = a[i] * b[i] + a[i], one element a thread. */
static void multiply_add(Shape shape, void **parameters) {
    CUdeviceptr a = *(CUdeviceptr *)parameters[0], b = *(CUdeviceptr *)parameters[1], c = *(CUdeviceptr *)parameters[2];
    unsigned n = *(unsigned *)parameters[3];
    size_t threads = (size_t)shape.grid * shape.block, count = n < threads ? n : threads;
    size_t bytes = count * sizeof(float);
    if (count && (!sim_memory_valid(a, bytes) || !sim_memory_valid(b, bytes) || !sim_memory_valid(c, bytes))) {
        sim_poison(ILLEGAL_ADDRESS); /* told at the next call, as by a real one */
        return;
    }
    const float *left = (const float *)a, *right = (const float *)b;
    float *result = (float *)c;
    for (size_t i = 0; i < count; i++) result[i] = fmaf(left[i], right[i], left[i]);
    if (count && sim_scenario()->wrong_kernel) result[count / 2] += 1.0f;
}

static CUresult launch(CUfunction function, const unsigned size[6], void **parameters) {
    if (!function) return INVALID_HANDLE;
    for (int i = 0; i < 6; i++)
        if (!size[i]) return INVALID_VALUE;
    if ((size_t)size[3] * size[4] * size[5] > 1024) return INVALID_VALUE;
    sim_trace("launch", function->name);
    int on_a_line = size[1] * size[2] * size[4] * size[5] == 1;
    if (function->entry && on_a_line && parameters && !strcmp(function->name, "tfdoctor_smoke"))
        multiply_add((Shape){size[0], size[3]}, parameters);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void **parameters, void **extra) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)shared_bytes;
    (void)stream;
    (void)extra;
    unsigned size[6] = {grid_x, grid_y, grid_z, block_x, block_y, block_z};
    return launch(function, size, parameters);
}

/* CUlaunchConfig begins with the same six numbers. */
SIM_EXPORT CUresult cuLaunchKernelEx(const unsigned *config, CUfunction function, void **parameters, void **extra) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)extra;
    return config ? launch(function, config, parameters) : INVALID_VALUE;
}

SIM_EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
    SIM_ENTER();
    SIM_READY();
    static const int values[] = {1024, 0, 0, 0, 32, 0, 0}; /* threads, shared, constant, local, registers … */
    if (!function) return INVALID_HANDLE;
    if (!value) return INVALID_VALUE;
    *value = attribute >= 0 && attribute < 7 ? values[attribute] : 0;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
    SIM_ENTER();
    SIM_READY();
    (void)attribute;
    (void)value;
    return function ? CUDA_SUCCESS : INVALID_HANDLE;
}

SIM_EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, int config) {
    SIM_ENTER();
    SIM_READY();
    (void)config;
    return function ? CUDA_SUCCESS : INVALID_HANDLE;
}

SIM_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size,
                                                                size_t shared_bytes) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)shared_bytes;
    if (!blocks || !function || block_size <= 0) return INVALID_VALUE;
    *blocks = 1536 / (block_size > 1536 ? 1536 : block_size);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                                         int block_size, size_t shared_bytes,
                                                                         unsigned flags) {
    SIM_ENTER();
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
}
