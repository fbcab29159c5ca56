/* The CUDA runtime: TensorFlow's kernels that change the order of a tensor's axes. A convolution reorders its filter
 * (and some their images) by them, so without them not even the right cuDNN gives the right numbers.
 * Their parameters: tensorflow/core/kernels/conv_2d_gpu.h of TensorFlow 2.21. */
#include "sim_cudart.h"
#include <stdio.h>
#include <string.h>

/* Bytes of the element type that a mangled template begins with; 0: one that is not known here. */
static size_t element_size(const char *mangled) {
    static const struct {
        const char *code;
        size_t size;
    } types[] = {{"f", 4}, {"d", 8}, {"N5Eigen4halfE", 2}, {"N5Eigen8bfloat16E", 2}, {"h", 1}, {"a", 1}, {"t", 2},
                 {"s", 2}, {"j", 4}, {"i", 4}, {"m", 8}, {"l", 8}, {"y", 8}, {"x", 8}};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (!strncmp(mangled, types[i].code, strlen(types[i].code))) return types[i].size;
    return 0;
}

/* Copies a tensor of three axes so that its axis i becomes axis order[i]. */
static void reorder(const char *from, char *to, const int size[3], const int order[3], size_t element) {
    int turned[3], at[3];
    for (int i = 0; i < 3; i++) turned[order[i]] = size[i];
    for (int i = 0; i < size[0]; i++)
        for (int j = 0; j < size[1]; j++)
            for (int k = 0; k < size[2]; k++, from += element) {
                at[order[0]] = i, at[order[1]] = j, at[order[2]] = k;
                size_t place = ((size_t)at[0] * (size_t)turned[1] + (size_t)at[1]) * (size_t)turned[2] + (size_t)at[2];
                memcpy(to + place * element, from, element);
            }
}

/* The order that ShuffleInTensor3Simple's template arguments name: "…Li1ELi2ELi0E…". */
static int read_order(const char *mangled, int order[3]) {
    const char *at = strstr(mangled, "Li");
    return at && sscanf(at, "Li%dELi%dELi%dE", &order[0], &order[1], &order[2]) == 3;
}

int sim_change_layout(const char *kernel, void **arguments) {
    static const char shuffle[] = "ShuffleInTensor3SimpleI", swap[] = "SwapDimension1And2InTensor3";
    static const char simple[] = "SimpleI", tiles[] = "TilesI";
    const char *at = strstr(kernel, shuffle), *types;
    int order[3] = {0, 2, 1}, first = 1;
    if (at) {
        types = at + strlen(shuffle);
        if (!read_order(types, order)) return 0;
    } else {
        at = strstr(kernel, swap);
        if (!at) return 0;
        at += strlen(swap);
        first = !strncmp(at, simple, strlen(simple)); /* the other one, UsingTiles, has no count before its input */
        const char *word = strstr(at, first ? simple : tiles);
        types = word ? word + strlen(first ? simple : tiles) : "";
    }
    size_t element = element_size(types);
    if (!element || !arguments) return 0;
    reorder(*(const char **)arguments[first], *(char **)arguments[first + 2], arguments[first + 1], order, element);
    return 1;
}
