/* libcuda: what a context can be told and asked beside being current. */
#include "sim_cuda.h"
#include <stdlib.h>

SIM_EXPORT CUresult cuCtxSynchronize(void) {
    SIM_ENTER();
    SIM_CONTEXT();
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!flags) return INVALID_VALUE;
    *flags = sim_current_context()->flags;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetLimit(size_t *value, int limit) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)limit;
    if (!value) return INVALID_VALUE;
    *value = 1024;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxSetLimit(int limit, size_t value) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)limit;
    (void)value;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxSetSharedMemConfig(int config) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)config;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetSharedMemConfig(int *config) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!config) return INVALID_VALUE;
    *config = 1;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxSetCacheConfig(int config) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)config;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)peer;
    (void)flags;
    return PEER_ACCESS_UNSUPPORTED;
}
