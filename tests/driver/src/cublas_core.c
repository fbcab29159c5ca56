/* cuBLAS: handles and versions. Signatures and numbers: cublas_api.h of CUDA 12.9. */
#include "sim_cublas.h"
#include <stdlib.h>
#include <dlfcn.h>

/* A context that is broken or missing refuses the handle, as the real library does. */
static int context_is_good(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*ask)(int *) = library ? (int (*)(int *))dlsym(library, "cuCtxGetDevice") : NULL;
    int device, good = ask && !ask(&device);
    if (library) dlclose(library);
    return good;
}

SIM_EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    SIM_ENTER();
    if (!handle || !context_is_good()) return BLAS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof **handle);
    return *handle ? BLAS_SUCCESS : BLAS_ALLOC_FAILED;
}

SIM_EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    SIM_ENTER();
    free(handle);
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
    SIM_ENTER();
    (void)handle;
    *version = (int)sim_scenario()->cublas_version;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasGetProperty(int which, int *value) {
    SIM_ENTER();
    int version = (int)sim_scenario()->cublas_version;
    *value = which == 0 ? version / 10000 : which == 1 ? version / 100 % 100 : version % 100;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, void *stream) {
    SIM_ENTER();
    handle->stream = stream;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, void **stream) {
    SIM_ENTER();
    *stream = handle->stream;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
    SIM_ENTER();
    (void)handle, (void)workspace, (void)bytes;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasSetMathMode(cublasHandle_t handle, int mode) {
    SIM_ENTER();
    handle->math_mode = mode;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasGetMathMode(cublasHandle_t handle, int *mode) {
    SIM_ENTER();
    *mode = handle->math_mode;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, int mode) {
    SIM_ENTER();
    handle->pointer_mode = mode;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, int *mode) {
    SIM_ENTER();
    *mode = handle->pointer_mode;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, int mode) {
    SIM_ENTER();
    (void)handle, (void)mode;
    return BLAS_SUCCESS;
}

SIM_EXPORT const char *cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
    case BLAS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case BLAS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case BLAS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case BLAS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case BLAS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case BLAS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}

SIM_EXPORT const char *cublasGetStatusString(cublasStatus_t status) {
    switch (status) {
    case BLAS_SUCCESS: return "success";
    case BLAS_NOT_INITIALIZED: return "the library was not initialized";
    case BLAS_ALLOC_FAILED: return "the resource allocation failed";
    case BLAS_EXECUTION_FAILED: return "the function failed to launch on the GPU";
    case BLAS_NOT_SUPPORTED: return "the functionality is not supported";
    default: return "an internal operation failed";
    }
}
