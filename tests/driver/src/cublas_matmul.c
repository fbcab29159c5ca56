/* cuBLAS: matrix products, plain, batched and strided, all computed by sim_matmul. */
#include "sim_cublas.h"

typedef struct {
    int a, b, c, scale; /* the types of the matrices, and of alpha and beta */
} Types;

typedef struct {
    int op_a, op_b, m, n, k, lead_a, lead_b, lead_c;
} Shape;

static const Types floats = {SIM_FLOAT, SIM_FLOAT, SIM_FLOAT, SIM_FLOAT};
static const Types doubles = {SIM_DOUBLE, SIM_DOUBLE, SIM_DOUBLE, SIM_DOUBLE};
static const Types halves = {SIM_HALF, SIM_HALF, SIM_HALF, SIM_HALF};

enum { COMPUTE_16F = 64, COMPUTE_16F_PEDANTIC = 65, COMPUTE_64F = 70, COMPUTE_64F_PEDANTIC = 71 };

static int scale_type(int compute) {
    if (compute == COMPUTE_16F || compute == COMPUTE_16F_PEDANTIC) return SIM_HALF;
    return compute == COMPUTE_64F || compute == COMPUTE_64F_PEDANTIC ? SIM_DOUBLE : SIM_FLOAT;
}

static cublasStatus_t product(Shape s, Types t, const void *alpha, const void *a, const void *b, const void *beta,
                              void *c) {
    SimMatmul one = {.transposed_a = s.op_a != 0, .transposed_b = s.op_b != 0, .m = s.m, .n = s.n, .k = s.k,
                     .alpha = sim_load(alpha, 0, t.scale), .beta = sim_load(beta, 0, t.scale), .a = a, .b = b,
                     .c = c, .d = c, .type_a = t.a, .type_b = t.b, .type_c = t.c, .type_d = t.c,
                     .lead_a = s.lead_a, .lead_b = s.lead_b, .lead_c = s.lead_c, .lead_d = s.lead_c};
    return sim_matmul(&one) ? BLAS_SUCCESS : BLAS_NOT_SUPPORTED;
}

static cublasStatus_t batched(Shape s, Types t, const void *alpha, const void *const *a, const void *const *b,
                              const void *beta, void *const *c, int count) {
    cublasStatus_t answer = BLAS_SUCCESS;
    for (int i = 0; i < count && !answer; i++) answer = product(s, t, alpha, a[i], b[i], beta, c[i]);
    return answer;
}

static cublasStatus_t strided(Shape s, Types t, const void *alpha, const char *a, long long step_a, const char *b,
                              long long step_b, const void *beta, char *c, long long step_c, int count) {
    long long size_a = (long long)sim_type_size(t.a) * step_a, size_b = (long long)sim_type_size(t.b) * step_b;
    long long size_c = (long long)sim_type_size(t.c) * step_c;
    cublasStatus_t answer = BLAS_SUCCESS;
    for (int i = 0; i < count && !answer; i++)
        answer = product(s, t, alpha, a + i * size_a, b + i * size_b, beta, c + i * size_c);
    return answer;
}

#define GEMM(letter, types, type)                                                                                  \
    SIM_EXPORT cublasStatus_t cublas##letter##gemm_v2(cublasHandle_t handle, int op_a, int op_b, int m, int n, int k, \
                                                      const type *alpha, const type *a, int lead_a, const type *b,  \
                                                      int lead_b, const type *beta, type *c, int lead_c) {          \
        SIM_ENTER();                                                                                               \
        (void)handle;                                                                                              \
        return product((Shape){op_a, op_b, m, n, k, lead_a, lead_b, lead_c}, types, alpha, a, b, beta, c);         \
    }                                                                                                              \
    SIM_EXPORT cublasStatus_t cublas##letter##gemmBatched(                                                         \
        cublasHandle_t handle, int op_a, int op_b, int m, int n, int k, const type *alpha, const void *const *a,   \
        int lead_a, const void *const *b, int lead_b, const type *beta, void *const *c, int lead_c, int count) {   \
        SIM_ENTER();                                                                                               \
        (void)handle;                                                                                              \
        return batched((Shape){op_a, op_b, m, n, k, lead_a, lead_b, lead_c}, types, alpha, a, b, beta, c, count);  \
    }                                                                                                              \
    SIM_EXPORT cublasStatus_t cublas##letter##gemmStridedBatched(                                                  \
        cublasHandle_t handle, int op_a, int op_b, int m, int n, int k, const type *alpha, const char *a,          \
        int lead_a, long long step_a, const char *b, int lead_b, long long step_b, const type *beta, char *c,      \
        int lead_c, long long step_c, int count) {                                                                 \
        SIM_ENTER();                                                                                               \
        (void)handle;                                                                                              \
        return strided((Shape){op_a, op_b, m, n, k, lead_a, lead_b, lead_c}, types, alpha, a, step_a, b, step_b,   \
                       beta, c, step_c, count);                                                                    \
    }

GEMM(S, floats, float)
GEMM(D, doubles, double)
GEMM(H, halves, _Float16)

SIM_EXPORT cublasStatus_t cublasGemmEx(cublasHandle_t handle, int op_a, int op_b, int m, int n, int k,
                                       const void *alpha, const void *a, int type_a, int lead_a, const void *b,
                                       int type_b, int lead_b, const void *beta, void *c, int type_c, int lead_c,
                                       int compute, int algorithm) {
    SIM_ENTER();
    (void)handle, (void)algorithm;
    return product((Shape){op_a, op_b, m, n, k, lead_a, lead_b, lead_c},
                   (Types){type_a, type_b, type_c, scale_type(compute)}, alpha, a, b, beta, c);
}

SIM_EXPORT cublasStatus_t cublasSgemmEx(cublasHandle_t handle, int op_a, int op_b, int m, int n, int k,
                                        const float *alpha, const void *a, int type_a, int lead_a, const void *b,
                                        int type_b, int lead_b, const float *beta, void *c, int type_c, int lead_c) {
    SIM_ENTER();
    (void)handle;
    return product((Shape){op_a, op_b, m, n, k, lead_a, lead_b, lead_c}, (Types){type_a, type_b, type_c, SIM_FLOAT},
                   alpha, a, b, beta, c);
}

SIM_EXPORT cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, int op_a, int op_b, int m, int n, int k,
                                              const void *alpha, const void *const *a, int type_a, int lead_a,
                                              const void *const *b, int type_b, int lead_b, const void *beta,
                                              void *const *c, int type_c, int lead_c, int count, int compute,
                                              int algorithm) {
    SIM_ENTER();
    (void)handle, (void)algorithm;
    return batched((Shape){op_a, op_b, m, n, k, lead_a, lead_b, lead_c},
                   (Types){type_a, type_b, type_c, scale_type(compute)}, alpha, a, b, beta, c, count);
}

SIM_EXPORT cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, int op_a, int op_b, int m, int n, int k,
                                                     const void *alpha, const char *a, int type_a, int lead_a,
                                                     long long step_a, const char *b, int type_b, int lead_b,
                                                     long long step_b, const void *beta, char *c, int type_c,
                                                     int lead_c, long long step_c, int count, int compute,
                                                     int algorithm) {
    SIM_ENTER();
    (void)handle, (void)algorithm;
    return strided((Shape){op_a, op_b, m, n, k, lead_a, lead_b, lead_c},
                   (Types){type_a, type_b, type_c, scale_type(compute)}, alpha, a, step_a, b, step_b, beta, c, step_c,
                   count);
}
