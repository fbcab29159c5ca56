/* cuSPARSE: its version and handles. Operations are stubs that answer "not supported". */
#include "sim.h"
#include <stdlib.h>

SIM_EXPORT int cusparseGetVersion(void *handle, int *version) {
    SIM_ENTER();
    (void)handle;
    *version = (int)sim_scenario()->cusparse_version;
    return 0;
}

/* which: 0 major, 1 minor, 2 patch, of a version written 12501. */
SIM_EXPORT int cusparseGetProperty(int which, int *value) {
    SIM_ENTER();
    int version = (int)sim_scenario()->cusparse_version;
    *value = which == 0 ? version / 1000 : which == 1 ? version / 100 % 10 : version % 100;
    return 0;
}

SIM_EXPORT int cusparseCreate(void **handle) {
    SIM_ENTER();
    *handle = malloc(1);
    return *handle ? 0 : 2;
}

SIM_EXPORT int cusparseDestroy(void *handle) {
    SIM_ENTER();
    free(handle);
    return 0;
}

SIM_EXPORT int cusparseSetStream(void *handle, void *stream) {
    SIM_ENTER();
    (void)handle, (void)stream;
    return 0;
}
