/* NCCL: its version and words. Collectives are stubs that answer "invalid usage". */
#include "sim.h"

SIM_EXPORT int ncclGetVersion(int *version) {
    SIM_ENTER();
    *version = (int)sim_scenario()->nccl_version;
    return 0;
}

SIM_EXPORT const char *ncclGetErrorString(int code) { return code ? "simulated NCCL error" : "no error"; }

SIM_EXPORT const char *ncclGetLastError(void *communicator) {
    (void)communicator;
    return "";
}
