/* libcuda: launching. A kernel that came as PTX and that the small PTX machine knows in full is computed on the host;
 * every other one does nothing and succeeds. */
#include "sim_module.h"

/* A scenario with `wrong_kernel`: after the launch the middle float of the third array is 1 too large. Only for kernels
 * of (a, b, c, n), as tfdoctor's own is. */
static void spoil(const PtxProgram *program, void **parameters) {
    if (program->parameters.count != 4) return;
    float *middle = *(float **)parameters[2] + *(unsigned *)parameters[3] / 2;
    if (sim_memory_valid((CUdeviceptr)middle, sizeof *middle)) *middle += 1.0f;
}

static CUresult launch(CUfunction function, const unsigned size[6], void **parameters) {
    if (!function) return INVALID_HANDLE;
    for (int i = 0; i < 6; i++)
        if (!size[i]) return INVALID_VALUE;
    if ((size_t)size[3] * size[4] * size[5] > 1024) return INVALID_VALUE;
    sim_trace("launch", function->name);
    if (!function->program || !parameters) return CUDA_SUCCESS;
    int code = ptx_run(function->program, size, parameters);
    if (code) sim_poison(code); /* told at the next call, as by a real one */
    else if (sim_scenario()->wrong_kernel) spoil(function->program, parameters);
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
