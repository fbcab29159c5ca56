/* Runs a PTX kernel, one thread after the other. */
#include "sim_ptx.h"
#include "sim_cuda.h"
#include <math.h>
#include <string.h>

#define LONGEST_THREAD 10000000
#define LAUNCH_TIMEOUT 702

typedef struct {
    uint64_t registers[PTX_MAX_NAMES], special[12];
    void **parameters;
} Thread;

static uint64_t cut(uint64_t bits, PtxType type) {
    return type.bytes == 8 ? bits : bits & ((1ull << type.bytes * 8) - 1);
}

/* The number that the bits mean, as 64 bits of its own class. */
static int64_t whole(uint64_t bits, PtxType type) {
    int unused = 64 - type.bytes * 8;
    return type.class == PTX_SIGNED ? (int64_t)(bits << unused) >> unused : (int64_t)cut(bits, type);
}

static double real(uint64_t bits, PtxType type) {
    float narrow;
    double wide;
    memcpy(&narrow, &bits, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return type.bytes == 4 ? (double)narrow : wide;
}

static uint64_t bits_of(double value, PtxType type) {
    float narrow = (float)value;
    uint64_t bits = 0;
    if (type.bytes == 4) memcpy(&bits, &narrow, sizeof narrow);
    else memcpy(&bits, &value, sizeof value);
    return bits;
}

static uint64_t read_value(const Thread *thread, const PtxOperand *operand) {
    switch (operand->kind) {
    case REGISTER: return thread->registers[operand->index];
    case SPECIAL: return thread->special[operand->index];
    default: return operand->value;
    }
}

static uint64_t arithmetic_real(const PtxInstruction *i, const uint64_t v[4]) {
    double a = real(v[1], i->type), b = real(v[2], i->type), c = real(v[3], i->type);
    switch (i->op) {
    case OP_ADD: return bits_of(a + b, i->type);
    case OP_SUBTRACT: return bits_of(a - b, i->type);
    case OP_MULTIPLY: return bits_of(a * b, i->type);
    case OP_MULTIPLY_ADD:
        return i->type.bytes == 4 ? bits_of((double)fmaf((float)a, (float)b, (float)c), i->type)
                                  : bits_of(fma(a, b, c), i->type);
    default: return v[1];
    }
}

static uint64_t arithmetic_whole(const PtxInstruction *i, const uint64_t v[4]) {
    PtxType result = {i->type.class, i->wide ? i->type.bytes * 2 : i->type.bytes};
    uint64_t a = (uint64_t)whole(v[1], i->type), b = (uint64_t)whole(v[2], i->type);
    uint64_t c = (uint64_t)whole(v[3], result);
    switch (i->op) {
    case OP_ADD: return cut(a + b, result);
    case OP_SUBTRACT: return cut(a - b, result);
    case OP_MULTIPLY: return cut(a * b, result);
    case OP_MULTIPLY_ADD: return cut(a * b + c, result);
    case OP_SHIFT_LEFT: return v[2] >= 64 ? 0 : cut(a << v[2], result);
    case OP_SHIFT_RIGHT:
        return cut(i->type.class == PTX_SIGNED ? (uint64_t)((int64_t)a >> (v[2] & 63)) : a >> (v[2] & 63), result);
    case OP_AND: return a & b;
    case OP_OR: return a | b;
    case OP_XOR: return cut(a ^ b, result);
    case OP_CONVERT: return cut((uint64_t)whole(v[1], i->from), i->type);
    default: return cut(v[1], i->type); /* a move */
    }
}

static uint64_t compare(const PtxInstruction *i, const uint64_t v[4]) {
    int order;
    if (i->type.class == PTX_FLOAT) {
        double a = real(v[1], i->type), b = real(v[2], i->type);
        if (isnan(a) || isnan(b)) return i->compare == 1;
        order = (a > b) - (a < b);
    } else if (i->type.class == PTX_SIGNED) {
        order = (whole(v[1], i->type) > whole(v[2], i->type)) - (whole(v[1], i->type) < whole(v[2], i->type));
    } else {
        uint64_t a = cut(v[1], i->type), b = cut(v[2], i->type);
        order = (a > b) - (a < b);
    }
    const int answers[] = {order == 0, order != 0, order < 0, order <= 0, order > 0, order >= 0};
    return (uint64_t)answers[i->compare];
}

/* Loads or stores; 0 where the address is nobody's. */
static int touch(Thread *thread, const PtxInstruction *i) {
    const PtxOperand *at = &i->operand[i->op == OP_STORE ? 0 : 1];
    uint64_t value = read_value(thread, &i->operand[1]);
    CUdeviceptr address = (CUdeviceptr)(read_value(thread, at) + (uint64_t)at->offset);
    size_t bytes = (size_t)i->type.bytes;
    if (!sim_memory_valid(address, bytes)) return 0;
    if (i->op == OP_STORE) {
        memcpy((void *)address, &value, bytes);
    } else {
        value = 0;
        memcpy(&value, (void *)address, bytes);
        thread->registers[i->operand[0].index] = (uint64_t)whole(value, i->type);
    }
    return 1;
}

static void load_parameter(Thread *thread, const PtxInstruction *i) {
    uint64_t value = 0;
    const char *from = thread->parameters[i->operand[1].index];
    memcpy(&value, from + i->operand[1].offset, (size_t)i->type.bytes);
    thread->registers[i->operand[0].index] = value;
}

static void compute(Thread *thread, const PtxInstruction *i) {
    uint64_t v[4] = {0};
    for (int j = 1; j < i->count; j++) v[j] = read_value(thread, &i->operand[j]);
    uint64_t *result = &thread->registers[i->operand[0].index];
    if (i->op == OP_COMPARE) *result = compare(i, v);
    else *result = i->type.class == PTX_FLOAT ? arithmetic_real(i, v) : arithmetic_whole(i, v);
}

static int run_thread(const PtxProgram *program, Thread *thread) {
    int at = 0;
    for (long steps = 0; at < program->length; steps++) {
        if (steps > LONGEST_THREAD) return LAUNCH_TIMEOUT;
        const PtxInstruction *i = &program->code[at++];
        if (i->guard >= 0 && (thread->registers[i->guard] != 0) == i->negated) continue;
        switch (i->op) {
        case OP_RETURN: return 0;
        case OP_BRANCH: at = program->label_at[i->target]; break;
        case OP_LOAD_PARAMETER: load_parameter(thread, i); break;
        case OP_LOAD:
        case OP_STORE:
            if (!touch(thread, i)) return ILLEGAL_ADDRESS;
            break;
        default: compute(thread, i);
        }
    }
    return 0;
}

int ptx_run(const PtxProgram *program, const unsigned size[6], void **parameters) {
    Thread thread = {.parameters = parameters};
    uint64_t threads = (uint64_t)size[3] * size[4] * size[5], blocks = (uint64_t)size[0] * size[1] * size[2];
    for (int axis = 0; axis < 3; axis++) {
        thread.special[3 + axis] = size[3 + axis]; /* ntid */
        thread.special[9 + axis] = size[axis];     /* nctaid */
    }
    for (uint64_t one = 0; one < threads * blocks; one++) {
        uint64_t in_block = one % threads, block = one / threads;
        const uint64_t tid[3] = {in_block % size[3], in_block / size[3] % size[4], in_block / size[3] / size[4]};
        const uint64_t ctaid[3] = {block % size[0], block / size[0] % size[1], block / size[0] / size[1]};
        memcpy(&thread.special[0], tid, sizeof tid);
        memcpy(&thread.special[6], ctaid, sizeof ctaid);
        int code = run_thread(program, &thread);
        if (code) return code;
    }
    return 0;
}
