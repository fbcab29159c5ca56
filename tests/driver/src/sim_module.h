/* Inside the simulated libcuda: what a loaded module and its functions are. */
#ifndef SIM_MODULE_H
#define SIM_MODULE_H
#include "sim_cuda.h"
#include "sim_ptx.h"

struct SimFunction {
    char name[SIM_TEXT];
    PtxProgram *program; /* NULL: from a binary, or beyond the PTX machine: does nothing when launched */
    struct SimFunction *next;
};

struct SimModule {
    char *text; /* PTX; NULL for a binary */
    struct SimFunction *functions;
};

/* The parallel lists of options with which a module is loaded. */
typedef struct {
    unsigned count;
    const int *options;
    void **values;
} JitLog;
#endif
