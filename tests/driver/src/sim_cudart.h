/* Inside the simulated CUDA runtime: how it asks the driver, as the real one does, by opening libcuda.so.1.
 * Numbers, structs and signatures are those of NVIDIA's public headers, CUDA 12.9. */
#ifndef SIM_CUDART_H
#define SIM_CUDART_H
#include "sim.h"

typedef int cudaError_t;

enum {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_INSUFFICIENT_DRIVER = 35,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
};

/* Calls a function of libcuda by name; 35 (insufficient driver) where there is no libcuda. */
typedef int (*SimDriverCall)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
SimDriverCall sim_driver(const char *function);
#define DRIVER(function, ...) sim_driver(#function)(SIM_FIVE(__VA_ARGS__, 0, 0, 0, 0, 0, 0))
#define SIM_FIVE(a, b, c, d, e, ...) (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d), (uintptr_t)(e)

/* The device that this thread chose, made current (its primary context retained at first use). */
cudaError_t sim_use_device(void);
int sim_chosen_device(void);

/* Computes one of TensorFlow's kernels that reorder a tensor's axes, known by its mangled name; 0: it is none. */
int sim_change_layout(const char *kernel, void **arguments);

/* Keeps an error for cudaGetLastError and passes it on. */
cudaError_t sim_note(cudaError_t code);
#endif
