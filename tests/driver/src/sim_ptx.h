/* A small PTX machine: enough of NVIDIA's "PTX ISA" 6.0 for straight arithmetic on global memory, one thread after
 * the other. A kernel with anything else in it (shared memory, vectors, textures …) is not taken on at all. */
#ifndef SIM_PTX_H
#define SIM_PTX_H
#include "sim.h"

typedef enum { PTX_UNSIGNED, PTX_SIGNED, PTX_FLOAT, PTX_PREDICATE } PtxClass;

typedef struct {
    PtxClass class;
    int bytes;
} PtxType;

typedef enum {
    OP_LOAD_PARAMETER, OP_LOAD, OP_STORE, OP_MOVE, OP_CONVERT, OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_MULTIPLY_ADD,
    OP_SHIFT_LEFT, OP_SHIFT_RIGHT, OP_AND, OP_OR, OP_XOR, OP_COMPARE, OP_BRANCH, OP_RETURN,
} PtxOp;

typedef enum { REGISTER, CONSTANT, SPECIAL, PARAMETER } PtxOperandKind;

typedef struct {
    PtxOperandKind kind;
    int index;        /* of the register, special register or parameter */
    uint64_t value;   /* of the constant */
    long long offset; /* in an address */
} PtxOperand;

typedef struct {
    PtxOp op;
    PtxType type, from;  /* `from`: what a conversion reads */
    int wide, compare;   /* compare: 0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge */
    int guard, negated;  /* the predicate register that allows it; -1: always */
    int target, count;
    PtxOperand operand[4];
} PtxInstruction;

#define PTX_MAX_NAMES 256
typedef struct {
    char name[PTX_MAX_NAMES][48];
    int count;
} PtxNames;

typedef struct {
    PtxInstruction *code;
    int length;
    PtxNames registers, parameters, labels;
    int label_at[PTX_MAX_NAMES];
} PtxProgram;

/* Reads the kernel whose name begins at `entry` in a PTX text. NULL: it needs more than this machine knows; `why`
 * then gets the statement that was too much. */
PtxProgram *ptx_parse(const char *entry, char why[SIM_TEXT]);
void ptx_free(PtxProgram *program);

/* Runs it for every thread of the launch: grid x y z, block x y z. Returns 0, 700 (illegal address) or 702 (a thread
 * that does not come to an end). */
int ptx_run(const PtxProgram *program, const unsigned size[6], void **parameters);
#endif
