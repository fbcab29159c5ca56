/* Inside the simulated cuBLAS: its answers and what a handle is. */
#ifndef SIM_CUBLAS_H
#define SIM_CUBLAS_H
#include "sim_matmul.h"

typedef int cublasStatus_t;

enum {
    BLAS_SUCCESS = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_NOT_SUPPORTED = 15,
};

/* Device memory is host memory here, so where alpha and beta lie (pointer_mode) makes no difference. */
typedef struct SimBlas {
    void *stream;
    int math_mode, pointer_mode;
} *cublasHandle_t;
#endif
