/* One of the parts that cuDNN consists of since version 9 (libcudnn_graph, libcudnn_ops …). The main library of the
 * real cuDNN opens them and passes every call on; here they only have to be there, of the same version. */
#include "sim.h"

SIM_EXPORT size_t cudnnGetVersion(void) {
    SIM_ENTER();
    return (size_t)sim_scenario()->cudnn_version;
}
