/* Inside the simulated cuDNN: its answers and the descriptors of its backend API, each a list of attributes as
 * they were set. Numbers and signatures: cudnn_graph.h of cuDNN 9. */
#ifndef SIM_CUDNN_H
#define SIM_CUDNN_H
#include "sim_matmul.h"

typedef int cudnnStatus_t;

enum {
    DNN_SUCCESS = 0,
    DNN_NOT_INITIALIZED = 1001,
    DNN_BAD_PARAM = 2000,
    DNN_NOT_SUPPORTED = 3000,
    DNN_ALLOCATION_FAILED = 4003,
};

/* Kinds of descriptors that something is done with; the rest only keep what they are told. */
enum {
    CONVOLUTION = 1,
    ENGINE = 2,
    ENGINE_CONFIG = 3,
    HEURISTIC = 4,
    PLAN = 5,
    CONVOLUTION_FORWARD = 10,
    CONVOLUTION_BACKWARD_FILTER = 11,
    CONVOLUTION_BACKWARD_DATA = 12,
};

typedef struct SimAttribute {
    int name, type;
    int64_t count;
    void *values;
    struct SimAttribute *next;
} SimAttribute;

typedef struct SimBackend {
    int kind, references;
    SimAttribute *attributes;
} *cudnnBackendDescriptor_t;

/* What was set under that name; NULL for nothing. */
const SimAttribute *sim_attribute(cudnnBackendDescriptor_t descriptor, int name);

/* The first descriptor, and the number, set under a name; NULL and `fallback` where there is none. */
cudnnBackendDescriptor_t sim_child(cudnnBackendDescriptor_t descriptor, int name);
double sim_number(cudnnBackendDescriptor_t descriptor, int name, double fallback);

/* Computes one convolution whose tensors' memory is listed in `pack`; 0: not one that it can. */
int sim_convolution(cudnnBackendDescriptor_t operation, cudnnBackendDescriptor_t pack);
#endif
