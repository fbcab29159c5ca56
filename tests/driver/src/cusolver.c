/* cuSOLVER: its version and dense handles. Solvers are stubs that answer "not supported". */
#include "sim.h"
#include <stdlib.h>

SIM_EXPORT int cusolverGetVersion(int *version) {
    SIM_ENTER();
    *version = (int)sim_scenario()->cusolver_version;
    return 0;
}

/* which: 0 major, 1 minor, 2 patch, of a version written 11603. */
SIM_EXPORT int cusolverGetProperty(int which, int *value) {
    SIM_ENTER();
    int version = (int)sim_scenario()->cusolver_version;
    *value = which == 0 ? version / 1000 : which == 1 ? version / 100 % 10 : version % 100;
    return 0;
}

SIM_EXPORT int cusolverDnCreate(void **handle) {
    SIM_ENTER();
    *handle = malloc(1);
    return *handle ? 0 : 2;
}

SIM_EXPORT int cusolverDnDestroy(void *handle) {
    SIM_ENTER();
    free(handle);
    return 0;
}

SIM_EXPORT int cusolverDnSetStream(void *handle, void *stream) {
    SIM_ENTER();
    (void)handle, (void)stream;
    return 0;
}
