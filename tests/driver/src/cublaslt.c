/* cuBLASLt: descriptors, one algorithm for everything, and the product itself with its bias and activation.
 * Attribute numbers and structs: cublasLt.h of CUDA 12.9. */
#include "sim_cublas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES 64
enum { COMPUTE_TYPE, SCALE_TYPE, POINTER_MODE, OP_A, OP_B, EPILOGUE = 7, BIAS_POINTER = 8, BIAS_TYPE = 26 };
enum { LAYOUT_TYPE, LAYOUT_ORDER, LAYOUT_ROWS, LAYOUT_COLUMNS, LAYOUT_LEAD, LAYOUT_COUNT, LAYOUT_STRIDE };
enum { EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4, EPILOGUE_GELU = 32 };

/* A descriptor of any kind: its attributes by number, each as wide as the widest. */
typedef struct SimDescriptor {
    uint64_t value[ATTRIBUTES];
} *Descriptor;

typedef struct {
    uint64_t algorithm[8];
    size_t workspace;
    cublasStatus_t state;
    float waves;
    int reserved[4];
} Heuristic;

static cublasStatus_t create(Descriptor *descriptor) {
    if (!descriptor) return BLAS_INVALID_VALUE;
    *descriptor = calloc(1, sizeof **descriptor);
    return *descriptor ? BLAS_SUCCESS : BLAS_ALLOC_FAILED;
}

static cublasStatus_t set(Descriptor descriptor, unsigned attribute, const void *from, size_t size) {
    if (!descriptor || !from || attribute >= ATTRIBUTES || size > sizeof(uint64_t)) return BLAS_INVALID_VALUE;
    descriptor->value[attribute] = 0;
    memcpy(&descriptor->value[attribute], from, size);
    return BLAS_SUCCESS;
}

static cublasStatus_t get(Descriptor descriptor, unsigned attribute, void *to, size_t size, size_t *written) {
    if (!descriptor || attribute >= ATTRIBUTES || size > sizeof(uint64_t)) return BLAS_INVALID_VALUE;
    if (to) memcpy(to, &descriptor->value[attribute], size);
    if (written) *written = size;
    return BLAS_SUCCESS;
}

#define DESCRIPTOR(name)                                                                                     \
    SIM_EXPORT cublasStatus_t name##Destroy(Descriptor descriptor) {                                         \
        SIM_ENTER();                                                                                         \
        free(descriptor);                                                                                    \
        return BLAS_SUCCESS;                                                                                 \
    }                                                                                                        \
    SIM_EXPORT cublasStatus_t name##SetAttribute(Descriptor descriptor, unsigned attribute, const void *from, \
                                                 size_t size) {                                              \
        SIM_ENTER();                                                                                         \
        return set(descriptor, attribute, from, size);                                                       \
    }                                                                                                        \
    SIM_EXPORT cublasStatus_t name##GetAttribute(Descriptor descriptor, unsigned attribute, void *to,        \
                                                 size_t size, size_t *written) {                             \
        SIM_ENTER();                                                                                         \
        return get(descriptor, attribute, to, size, written);                                                \
    }

DESCRIPTOR(cublasLtMatrixLayout)
DESCRIPTOR(cublasLtMatmulDesc)
DESCRIPTOR(cublasLtMatmulPreference)

SIM_EXPORT cublasStatus_t cublasLtCreate(void **handle) {
    SIM_ENTER();
    return create((Descriptor *)handle);
}

SIM_EXPORT cublasStatus_t cublasLtDestroy(void *handle) {
    SIM_ENTER();
    free(handle);
    return BLAS_SUCCESS;
}

SIM_EXPORT size_t cublasLtGetVersion(void) {
    SIM_ENTER();
    return (size_t)sim_scenario()->cublas_version;
}

SIM_EXPORT cublasStatus_t cublasLtMatmulPreferenceCreate(Descriptor *preference) {
    SIM_ENTER();
    return create(preference);
}

SIM_EXPORT cublasStatus_t cublasLtMatmulDescCreate(Descriptor *descriptor, int compute, int scale) {
    SIM_ENTER();
    cublasStatus_t answer = create(descriptor);
    if (answer) return answer;
    (*descriptor)->value[COMPUTE_TYPE] = (uint64_t)compute;
    (*descriptor)->value[SCALE_TYPE] = (uint64_t)scale;
    (*descriptor)->value[EPILOGUE] = 1;
    (*descriptor)->value[BIAS_TYPE] = ~0ull;
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasLtMatrixLayoutCreate(Descriptor *layout, int type, uint64_t rows, uint64_t columns,
                                                     int64_t lead) {
    SIM_ENTER();
    cublasStatus_t answer = create(layout);
    if (answer) return answer;
    const uint64_t values[] = {(uint64_t)type, 0, rows, columns, (uint64_t)lead, 1, 0};
    memcpy((*layout)->value, values, sizeof values);
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(void *handle, Descriptor operation, Descriptor a, Descriptor b,
                                                         Descriptor c, Descriptor d, Descriptor preference,
                                                         int wanted, Heuristic *found, int *count) {
    SIM_ENTER();
    (void)handle, (void)operation, (void)a, (void)b, (void)c, (void)d, (void)preference;
    *count = wanted > 0;
    if (*count) *found = (Heuristic){.waves = 1.0f};
    return BLAS_SUCCESS;
}

SIM_EXPORT cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const void *algorithm, int attribute, void *to,
                                                               size_t size, size_t *written) {
    SIM_ENTER();
    (void)algorithm, (void)attribute;
    if (to) memset(to, 0, size);
    if (written) *written = size;
    return BLAS_SUCCESS;
}

static double activated(double value, uint64_t epilogue) {
    if (epilogue & EPILOGUE_RELU) return value > 0 ? value : 0;
    if (epilogue & EPILOGUE_GELU)
        return 0.5 * value * (1 + tanh(0.7978845608028654 * (value + 0.044715 * value * value * value)));
    return value;
}

/* Adds the bias of each row and applies the activation, after the product. */
static void finish(const SimMatmul *p, const struct SimDescriptor *operation) {
    uint64_t epilogue = operation->value[EPILOGUE];
    const void *bias = epilogue & EPILOGUE_BIAS ? (const void *)operation->value[BIAS_POINTER] : NULL;
    int type = operation->value[BIAS_TYPE] == ~0ull ? p->type_d : (int)operation->value[BIAS_TYPE];
    if (!bias && !(epilogue & (EPILOGUE_RELU | EPILOGUE_GELU))) return;
    for (long long j = 0; j < p->n; j++)
        for (long long i = 0; i < p->m; i++) {
            long long at = j * p->lead_d + i;
            double value = sim_load(p->d, at, p->type_d) + (bias ? sim_load(bias, i, type) : 0);
            sim_store(p->d, at, p->type_d, activated(value, epilogue));
        }
}

static const char *step(const void *start, const struct SimDescriptor *layout, long long item) {
    size_t size = sim_type_size((int)layout->value[LAYOUT_TYPE]);
    return (const char *)start + item * (long long)layout->value[LAYOUT_STRIDE] * (long long)size;
}

SIM_EXPORT cublasStatus_t cublasLtMatmul(void *handle, Descriptor operation, const void *alpha, const void *a,
                                         Descriptor layout_a, const void *b, Descriptor layout_b, const void *beta,
                                         const void *c, Descriptor layout_c, void *d, Descriptor layout_d,
                                         const void *algorithm, void *workspace, size_t bytes, void *stream) {
    SIM_ENTER();
    (void)handle, (void)algorithm, (void)workspace, (void)bytes, (void)stream;
    int scale = (int)operation->value[SCALE_TYPE], turned = operation->value[OP_A] != 0;
    if (layout_d->value[LAYOUT_ORDER]) return BLAS_NOT_SUPPORTED;
    SimMatmul p = {.transposed_a = turned, .transposed_b = operation->value[OP_B] != 0,
                   .m = (long long)layout_d->value[LAYOUT_ROWS], .n = (long long)layout_d->value[LAYOUT_COLUMNS],
                   .k = (long long)layout_a->value[turned ? LAYOUT_ROWS : LAYOUT_COLUMNS],
                   .alpha = sim_load(alpha, 0, scale), .beta = sim_load(beta, 0, scale),
                   .type_a = (int)layout_a->value[LAYOUT_TYPE], .type_b = (int)layout_b->value[LAYOUT_TYPE],
                   .type_c = (int)layout_c->value[LAYOUT_TYPE], .type_d = (int)layout_d->value[LAYOUT_TYPE],
                   .lead_a = (long long)layout_a->value[LAYOUT_LEAD], .lead_b = (long long)layout_b->value[LAYOUT_LEAD],
                   .lead_c = (long long)layout_c->value[LAYOUT_LEAD], .lead_d = (long long)layout_d->value[LAYOUT_LEAD]};
    for (long long item = 0; item < (long long)layout_d->value[LAYOUT_COUNT]; item++) {
        p.a = step(a, layout_a, item);
        p.b = step(b, layout_b, item);
        p.c = step(c, layout_c, item);
        p.d = (void *)step(d, layout_d, item);
        if (!sim_matmul(&p)) return BLAS_NOT_SUPPORTED;
        finish(&p, operation);
    }
    return BLAS_SUCCESS;
}
