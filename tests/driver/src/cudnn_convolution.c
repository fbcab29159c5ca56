/* cuDNN: a convolution and its two gradients, computed element by element on the host in double. */
#include "sim_cudnn.h"
#include <stdlib.h>
#include <string.h>

#define AXES 5 /* batch, channel, and three of space; missing ones count as 1 */
enum { TENSOR_TYPE = 901, TENSOR_SIZES = 902, TENSOR_STEPS = 903, TENSOR_ID = 906 };
enum { PACK_IDS = 1000, PACK_POINTERS = 1001 };
enum { CONV_MODE = 101, CONV_DILATION = 102, CONV_STRIDE = 103, CONV_PADDING = 105 };

typedef struct {
    int type;
    long long size[AXES], step[AXES], count;
    void *data;
    double *sum; /* of the tensor that is computed */
} Tensor;

typedef struct {
    long long stride[3], padding[3], dilation[3], groups;
    int flipped;
} Geometry;

/* Where the three kinds of operation keep their tensors: x, w, y, the convolution, alpha and beta. */
static const int names[3][6] = {
    {704, 703, 705, 702, 700, 701}, /* forward */
    {716, 715, 717, 714, 712, 713}, /* backward filter */
    {710, 709, 711, 708, 706, 707}, /* backward data */
};

static void *memory_of(cudnnBackendDescriptor_t pack, int64_t id) {
    const SimAttribute *ids = sim_attribute(pack, PACK_IDS), *pointers = sim_attribute(pack, PACK_POINTERS);
    for (int64_t i = 0; ids && pointers && i < ids->count && i < pointers->count; i++)
        if (((int64_t *)ids->values)[i] == id) return ((void **)pointers->values)[i];
    return NULL;
}

static int read_tensor(cudnnBackendDescriptor_t from, cudnnBackendDescriptor_t pack, Tensor *to) {
    const SimAttribute *sizes = sim_attribute(from, TENSOR_SIZES), *steps = sim_attribute(from, TENSOR_STEPS);
    if (!sizes || !steps || sizes->count > AXES || sizes->count != steps->count) return 0;
    int type = (int)sim_number(from, TENSOR_TYPE, -1);
    to->type = type == 9 ? SIM_BFLOAT16 : type; /* float, double and half have cuBLAS' numbers */
    to->count = 1;
    for (int i = 0; i < AXES; i++) {
        to->size[i] = i < sizes->count ? ((int64_t *)sizes->values)[i] : 1;
        to->step[i] = i < sizes->count ? ((int64_t *)steps->values)[i] : 0;
        to->count *= to->size[i];
    }
    to->data = memory_of(pack, (int64_t)sim_number(from, TENSOR_ID, -1));
    return to->data && sim_type_size(to->type);
}

static void read_axes(cudnnBackendDescriptor_t from, int name, long long *to, long long fallback) {
    const SimAttribute *found = sim_attribute(from, name);
    for (int i = 0; i < 3; i++) to[i] = found && i < found->count ? ((int64_t *)found->values)[i] : fallback;
}

static long long place(const Tensor *t, const long long at[AXES]) {
    long long sum = 0;
    for (int i = 0; i < AXES; i++) sum += at[i] * t->step[i];
    return sum;
}

static long long rank(const Tensor *t, const long long at[AXES]) {
    long long sum = 0;
    for (int i = 0; i < AXES; i++) sum = sum * t->size[i] + at[i];
    return sum;
}

/* Counts `at` one up through a box; 0 when it is through. */
static int advance(long long *at, const long long *size, int axes) {
    for (int i = axes - 1; i >= 0; i--) {
        if (++at[i] < size[i]) return 1;
        at[i] = 0;
    }
    return 0;
}

/* The input position that output `out` sees through filter position `tap`; 0 where that is padding. */
static int see(const Geometry *g, const Tensor *x, const Tensor *w, const long long *out, const long long *tap,
               long long *in) {
    for (int i = 0; i < 3; i++) {
        long long turned = g->flipped ? w->size[2 + i] - 1 - tap[i] : tap[i];
        in[i] = out[i] * g->stride[i] - g->padding[i] + turned * g->dilation[i];
        if (in[i] < 0 || in[i] >= x->size[2 + i]) return 0;
    }
    return 1;
}

/* One meeting of an input, a weight and an output: adds to whichever of the three is asked for. */
static void meet(Tensor t[3], int wanted, const long long in[AXES], const long long tap[AXES],
                 const long long out[AXES]) {
    const long long *at[3] = {in, tap, out};
    double product = 1;
    for (int i = 0; i < 3; i++)
        if (i != wanted) product *= sim_load(t[i].data, place(&t[i], at[i]), t[i].type);
    t[wanted].sum[rank(&t[wanted], at[wanted])] += product;
}

static void sweep(Tensor t[3], const Geometry *g, int wanted) {
    long long out[AXES] = {0}, per_group = t[1].size[0] / g->groups;
    do {
        long long tap[AXES] = {out[1]}, in[AXES] = {out[0]}, first = out[1] / per_group * t[1].size[1];
        do {
            in[1] = first + tap[1];
            if (see(g, &t[0], &t[1], out + 2, tap + 2, in + 2)) meet(t, wanted, in, tap, out);
        } while (advance(tap + 1, t[1].size + 1, AXES - 1));
    } while (advance(out, t[2].size, AXES));
}

static void store(const Tensor *t, double alpha, double beta) {
    long long at[AXES] = {0};
    do {
        long long where = place(t, at);
        double kept = beta == 0 ? 0 : beta * sim_load(t->data, where, t->type);
        sim_store(t->data, where, t->type, alpha * t->sum[rank(t, at)] + kept);
    } while (advance(at, t->size, AXES));
}

int sim_convolution(cudnnBackendDescriptor_t operation, cudnnBackendDescriptor_t pack) {
    static const int wanted_of[3] = {2, 1, 0}; /* forward: y, backward filter: w, backward data: x */
    int kind = operation->kind - CONVOLUTION_FORWARD;
    if (kind < 0 || kind > 2) return 0;
    const int *name = names[kind];
    Tensor t[3] = {0};
    Geometry g;
    for (int i = 0; i < 3; i++)
        if (!read_tensor(sim_child(operation, name[i]), pack, &t[i])) return 0;
    cudnnBackendDescriptor_t how = sim_child(operation, name[3]);
    read_axes(how, CONV_STRIDE, g.stride, 1);
    read_axes(how, CONV_PADDING, g.padding, 0);
    read_axes(how, CONV_DILATION, g.dilation, 1);
    g.flipped = sim_number(how, CONV_MODE, 1) == 0;
    g.groups = t[1].size[1] ? t[0].size[1] / t[1].size[1] : 0;
    if (g.groups < 1) return 0;
    if (sim_scenario()->computes_nothing) return 1;
    Tensor *result = &t[wanted_of[kind]];
    result->sum = calloc((size_t)result->count, sizeof *result->sum);
    if (!result->sum) return 0;
    sweep(t, &g, wanted_of[kind]);
    store(result, sim_number(operation, name[4], 1), sim_number(operation, name[5], 0));
    free(result->sum);
    return 1;
}
