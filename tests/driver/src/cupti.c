/* CUPTI: its version. TensorFlow opens it to profile; everything else is a stub that answers "not supported". */
#include "sim.h"

/* The API's own number, which grows with CUDA: 23 came with CUDA 12.5. */
SIM_EXPORT int cuptiGetVersion(uint32_t *version) {
    SIM_ENTER();
    *version = 23;
    return 0;
}
