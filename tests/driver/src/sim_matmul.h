/* A matrix product on the host, column by column as BLAS wants it, in every float type that TensorFlow asks for. */
#ifndef SIM_MATMUL_H
#define SIM_MATMUL_H
#include "sim.h"

/* cudaDataType_t's numbers, library_types.h of CUDA 12.9. */
enum { SIM_FLOAT = 0, SIM_DOUBLE = 1, SIM_HALF = 2, SIM_BFLOAT16 = 14 };

/* D = alpha * op(A) * op(B) + beta * C, with op(A) m×k and op(B) k×n. Sizes in elements. */
typedef struct {
    int transposed_a, transposed_b;
    long long m, n, k;
    double alpha, beta;
    const void *a, *b, *c;
    void *d;
    int type_a, type_b, type_c, type_d;
    long long lead_a, lead_b, lead_c, lead_d;
} SimMatmul;

/* Computes it. Returns 0 where a type is none of the four, or memory ran out. A scenario with `computes_nothing`
 * leaves the result as it is; one with `wrong_matmul` gets one element wrong. */
int sim_matmul(const SimMatmul *product);

/* One element, read or written. */
double sim_load(const void *from, long long index, int type);
void sim_store(void *to, long long index, int type, double value);

/* Bytes of one element; 0: not one of the four. */
size_t sim_type_size(int type);
#endif
