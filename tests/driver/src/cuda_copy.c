/* libcuda: copies and fills. All are done when the call returns; what a copy reads or writes on the device has
 * to lie inside an allocation, as on a real one. */
#include "sim_cuda.h"
#include <string.h>

static CUresult copy(void *to, const void *from, size_t bytes, CUdeviceptr on_device) {
    if (!bytes) return CUDA_SUCCESS;
    if (!to || !from || !sim_memory_valid(on_device, bytes)) return INVALID_VALUE;
    memmove(to, from, bytes);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    SIM_ENTER();
    SIM_CONTEXT();
    return copy((void *)to, from, bytes, to);
}

SIM_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    SIM_ENTER();
    SIM_CONTEXT();
    return copy(to, (const void *)from, bytes, from);
}

SIM_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!sim_memory_valid(from, bytes)) return INVALID_VALUE;
    return copy((void *)to, (const void *)from, bytes, to);
}

SIM_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    return copy((void *)to, from, bytes, to);
}

SIM_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    return copy(to, (const void *)from, bytes, from);
}

SIM_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    if (!sim_memory_valid(from, bytes)) return INVALID_VALUE;
    return copy((void *)to, (const void *)from, bytes, to);
}

/* The two that find out by themselves on which side a pointer lies. */
SIM_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    SIM_ENTER();
    SIM_CONTEXT();
    memmove((void *)to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    memmove((void *)to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

static CUresult fill(CUdeviceptr to, const void *pattern, size_t size, size_t count) {
    if (!count) return CUDA_SUCCESS;
    if (!sim_memory_valid(to, size * count)) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++) memcpy((char *)to + i * size, pattern, size);
    return CUDA_SUCCESS;
}

#define SIM_FILL(name, type)                                                \
    SIM_EXPORT CUresult name##_v2(CUdeviceptr to, type value, size_t count) { \
        SIM_ENTER();                                                        \
        SIM_CONTEXT();                                                      \
        return fill(to, &value, sizeof value, count);                       \
    }                                                                       \
    SIM_EXPORT CUresult name##Async(CUdeviceptr to, type value, size_t count, CUstream stream) { \
        SIM_ENTER();                                                        \
        SIM_CONTEXT();                                                      \
        (void)stream;                                                       \
        return fill(to, &value, sizeof value, count);                       \
    }

SIM_FILL(cuMemsetD8, unsigned char)
SIM_FILL(cuMemsetD16, unsigned short)
SIM_FILL(cuMemsetD32, unsigned)
