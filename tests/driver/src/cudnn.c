/* cuDNN: versions and handles. Nothing is computed: every operation is a stub that answers "not supported". */
#include "sim.h"
#include <stdlib.h>

enum { DNN_SUCCESS = 0, DNN_NOT_INITIALIZED = 1001 };

SIM_EXPORT size_t cudnnGetVersion(void) { return (size_t)sim_scenario()->cudnn_version; }

SIM_EXPORT size_t cudnnGetCudartVersion(void) { return (size_t)sim_scenario()->runtime_version; }

/* From 9 on a version is 90300, before it 8907. */
SIM_EXPORT int cudnnGetProperty(int which, int *value) {
    SIM_ENTER();
    int version = (int)sim_scenario()->cudnn_version, major = version >= 90000 ? 10000 : 1000;
    *value = which == 0 ? version / major : which == 1 ? version % major / 100 : version % 100;
    return DNN_SUCCESS;
}

SIM_EXPORT int cudnnCreate(void **handle) {
    SIM_ENTER();
    *handle = calloc(1, sizeof(void *));
    return *handle ? DNN_SUCCESS : DNN_NOT_INITIALIZED;
}

SIM_EXPORT int cudnnDestroy(void *handle) {
    SIM_ENTER();
    free(handle);
    return DNN_SUCCESS;
}

SIM_EXPORT int cudnnSetStream(void *handle, void *stream) {
    SIM_ENTER();
    *(void **)handle = stream;
    return DNN_SUCCESS;
}

SIM_EXPORT int cudnnGetStream(void *handle, void **stream) {
    SIM_ENTER();
    *stream = *(void **)handle;
    return DNN_SUCCESS;
}

SIM_EXPORT const char *cudnnGetErrorString(int status) {
    return status == DNN_SUCCESS ? "CUDNN_STATUS_SUCCESS" : status == 3000 ? "CUDNN_STATUS_NOT_SUPPORTED"
           : status == DNN_NOT_INITIALIZED ? "CUDNN_STATUS_NOT_INITIALIZED" : "CUDNN_STATUS_INTERNAL_ERROR";
}
