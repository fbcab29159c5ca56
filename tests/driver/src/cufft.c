/* cuFFT: its version. Plans and transforms are stubs that answer "not supported". */
#include "sim.h"

SIM_EXPORT int cufftGetVersion(int *version) {
    SIM_ENTER();
    *version = (int)sim_scenario()->cufft_version;
    return 0;
}
