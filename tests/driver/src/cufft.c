/* cuFFT: its version. Plans and transforms are stubs that answer "not supported". */
#include "sim.h"

SIM_EXPORT int cufftGetVersion(int *version) {
    SIM_ENTER();
    *version = (int)sim_scenario()->cufft_version;
    return 0;
}

/* which: 0 major, 1 minor, 2 patch, of a version written 11203. */
SIM_EXPORT int cufftGetProperty(int which, int *value) {
    SIM_ENTER();
    int version = (int)sim_scenario()->cufft_version;
    *value = which == 0 ? version / 1000 : which == 1 ? version / 100 % 10 : version % 100;
    return 0;
}
