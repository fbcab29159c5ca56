/* A matrix product on the host. Sums are kept in double, which no test of a float product will mind. */
#include "sim_matmul.h"
#include <stdlib.h>
#include <string.h>

size_t sim_type_size(int type) {
    switch (type) {
    case SIM_FLOAT: return 4;
    case SIM_DOUBLE: return 8;
    case SIM_HALF:
    case SIM_BFLOAT16: return 2;
    default: return 0;
    }
}

static float from_bfloat16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static uint16_t to_bfloat16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40); /* a NaN stays one */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even */
}

double sim_load(const void *from, long long index, int type) {
    switch (type) {
    case SIM_FLOAT: return ((const float *)from)[index];
    case SIM_DOUBLE: return ((const double *)from)[index];
    case SIM_HALF: return (double)((const _Float16 *)from)[index];
    default: return from_bfloat16(((const uint16_t *)from)[index]);
    }
}

void sim_store(void *to, long long index, int type, double value) {
    switch (type) {
    case SIM_FLOAT: ((float *)to)[index] = (float)value; break;
    case SIM_DOUBLE: ((double *)to)[index] = value; break;
    case SIM_HALF: ((_Float16 *)to)[index] = (_Float16)value; break;
    default: ((uint16_t *)to)[index] = to_bfloat16((float)value); break;
    }
}

/* A matrix as plain doubles, `columns` columns of `rows` each. */
static double *unpack(const void *from, int type, int transposed, long long lead, long long rows, long long columns) {
    double *plain = malloc((size_t)(rows * columns) * sizeof *plain);
    for (long long j = 0; plain && j < columns; j++)
        for (long long i = 0; i < rows; i++)
            plain[j * rows + i] = sim_load(from, transposed ? i * lead + j : j * lead + i, type);
    return plain;
}

static void add_scaled(double *restrict sum, const double *restrict column, double factor, long long count) {
    for (long long i = 0; i < count; i++) sum[i] += factor * column[i];
}

static void multiply(const SimMatmul *p, const double *a, const double *b, double *sum) {
    for (long long j = 0; j < p->n; j++) {
        memset(sum, 0, (size_t)p->m * sizeof *sum);
        for (long long l = 0; l < p->k; l++) add_scaled(sum, a + l * p->m, b[j * p->k + l], p->m);
        for (long long i = 0; i < p->m; i++) {
            double kept = p->beta == 0 ? 0 : p->beta * sim_load(p->c, j * p->lead_c + i, p->type_c);
            sim_store(p->d, j * p->lead_d + i, p->type_d, p->alpha * sum[i] + kept);
        }
    }
}

static void spoil(const SimMatmul *p) {
    long long middle = p->n / 2 * p->lead_d + p->m / 2;
    sim_store(p->d, middle, p->type_d, sim_load(p->d, middle, p->type_d) + 1.0);
}

int sim_matmul(const SimMatmul *p) {
    if (!sim_type_size(p->type_a) || !sim_type_size(p->type_b) || !sim_type_size(p->type_d)) return 0;
    if (p->m <= 0 || p->n <= 0 || sim_scenario()->computes_nothing) return 1;
    double *a = unpack(p->a, p->type_a, p->transposed_a, p->lead_a, p->m, p->k);
    double *b = unpack(p->b, p->type_b, p->transposed_b, p->lead_b, p->k, p->n);
    double *sum = malloc((size_t)p->m * sizeof *sum);
    int ready = a && b && sum;
    if (ready) multiply(p, a, b, sum);
    if (ready && sim_scenario()->wrong_matmul) spoil(p);
    free(a);
    free(b);
    free(sum);
    return ready;
}
