/* cuDNN: versions, handles and words. */
#include "sim_cudnn.h"
#include <stdlib.h>

SIM_EXPORT size_t cudnnGetVersion(void) {
    SIM_ENTER();
    return (size_t)sim_scenario()->cudnn_version;
}

SIM_EXPORT size_t cudnnGetCudartVersion(void) {
    SIM_ENTER();
    return (size_t)sim_scenario()->runtime_version;
}

/* From 9 on a version is written 90300, before it 8907. */
SIM_EXPORT cudnnStatus_t cudnnGetProperty(int which, int *value) {
    SIM_ENTER();
    int version = (int)sim_scenario()->cudnn_version, major = version >= 90000 ? 10000 : 1000;
    *value = which == 0 ? version / major : which == 1 ? version % major / 100 : version % 100;
    return DNN_SUCCESS;
}

SIM_EXPORT cudnnStatus_t cudnnCreate(void **handle) {
    SIM_ENTER();
    *handle = calloc(1, sizeof(void *));
    return *handle ? DNN_SUCCESS : DNN_NOT_INITIALIZED;
}

SIM_EXPORT cudnnStatus_t cudnnDestroy(void *handle) {
    SIM_ENTER();
    free(handle);
    return DNN_SUCCESS;
}

SIM_EXPORT cudnnStatus_t cudnnSetStream(void *handle, void *stream) {
    SIM_ENTER();
    *(void **)handle = stream;
    return DNN_SUCCESS;
}

SIM_EXPORT cudnnStatus_t cudnnGetStream(void *handle, void **stream) {
    SIM_ENTER();
    *stream = *(void **)handle;
    return DNN_SUCCESS;
}

#define SIM_FITS(part)                                 \
    SIM_EXPORT cudnnStatus_t cudnn##part##VersionCheck(void) { \
        SIM_ENTER();                                   \
        return DNN_SUCCESS;                            \
    }

SIM_FITS(Graph)
SIM_FITS(Ops)
SIM_FITS(Cnn)
SIM_FITS(Adv)

SIM_EXPORT const char *cudnnGetErrorString(cudnnStatus_t status) {
    switch (status) {
    case DNN_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case DNN_NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
    case 1002: return "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH";
    case DNN_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    case DNN_NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    case 3007: return "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH";
    case DNN_ALLOCATION_FAILED: return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
    case 5000: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_STATUS_INTERNAL_ERROR";
    }
}

SIM_EXPORT void cudnnGetLastErrorString(char *message, size_t size) { sim_copy(message, size, ""); }
