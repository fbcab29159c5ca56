/* Reads a PTX kernel into instructions. */
#include "sim_ptx.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find(const PtxNames *names, const char *name) {
    for (int i = 0; i < names->count; i++)
        if (!strcmp(names->name[i], name)) return i;
    return -1;
}

static int find_or_add(PtxNames *names, const char *name) {
    int at = find(names, name);
    if (at >= 0 || names->count == PTX_MAX_NAMES) return at;
    sim_copy(names->name[names->count], sizeof names->name[0], name);
    return names->count++;
}

static int read_type(const char *word, PtxType *type) {
    static const struct {
        const char *word;
        PtxType type;
    } types[] = {{"u8", {PTX_UNSIGNED, 1}}, {"b8", {PTX_UNSIGNED, 1}}, {"s8", {PTX_SIGNED, 1}},
                 {"u16", {PTX_UNSIGNED, 2}}, {"b16", {PTX_UNSIGNED, 2}}, {"s16", {PTX_SIGNED, 2}},
                 {"u32", {PTX_UNSIGNED, 4}}, {"b32", {PTX_UNSIGNED, 4}}, {"s32", {PTX_SIGNED, 4}},
                 {"u64", {PTX_UNSIGNED, 8}}, {"b64", {PTX_UNSIGNED, 8}}, {"s64", {PTX_SIGNED, 8}},
                 {"f32", {PTX_FLOAT, 4}}, {"f64", {PTX_FLOAT, 8}}, {"pred", {PTX_PREDICATE, 1}}};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].word, word)) {
            *type = types[i].type;
            return 1;
        }
    return 0;
}

static int read_op(const char *word, PtxOp *op) {
    static const struct {
        const char *word;
        PtxOp op;
    } ops[] = {{"ld", OP_LOAD}, {"st", OP_STORE}, {"mov", OP_MOVE}, {"cvta", OP_MOVE}, {"cvt", OP_CONVERT},
               {"add", OP_ADD}, {"sub", OP_SUBTRACT}, {"mul", OP_MULTIPLY}, {"mad", OP_MULTIPLY_ADD},
               {"fma", OP_MULTIPLY_ADD}, {"shl", OP_SHIFT_LEFT}, {"shr", OP_SHIFT_RIGHT}, {"and", OP_AND},
               {"or", OP_OR}, {"xor", OP_XOR}, {"setp", OP_COMPARE}, {"bra", OP_BRANCH}, {"ret", OP_RETURN},
               {"exit", OP_RETURN}};
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(ops[i].word, word)) {
            *op = ops[i].op;
            return 1;
        }
    return 0;
}

static int read_compare(const char *word, int *compare) {
    static const char *words[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    for (int i = 0; i < 6; i++)
        if (!strcmp(words[i], word)) {
            *compare = i;
            return 1;
        }
    return 0;
}

/* ".global.f32" and the like, after the first word of an operation. */
static int read_modifier(PtxInstruction *to, const char *word, int *types) {
    static const char *silent[] = {"lo", "rn", "uni", "to", "global", "nc"};
    PtxType type;
    if (read_type(word, &type)) {
        if ((*types)++) to->from = type; /* cvt.u64.u32: to the first, from the second */
        else to->type = to->from = type;
        return *types <= (to->op == OP_CONVERT ? 2 : 1);
    }
    if (to->op == OP_COMPARE && read_compare(word, &to->compare)) return 1;
    if (!strcmp(word, "wide")) return to->wide = 1;
    if (!strcmp(word, "param") && to->op == OP_LOAD) {
        to->op = OP_LOAD_PARAMETER;
        return 1;
    }
    for (unsigned i = 0; i < sizeof silent / sizeof *silent; i++)
        if (!strcmp(silent[i], word)) return 1;
    return 0;
}

static int read_operation(PtxInstruction *to, char *word) {
    int types = 0;
    char *part = strsep(&word, ".");
    if (!read_op(part, &to->op)) return 0;
    while ((part = strsep(&word, ".")))
        if (!read_modifier(to, part, &types)) return 0;
    int whole_numbers = to->type.class != PTX_FLOAT && to->from.class != PTX_FLOAT;
    return types || to->op == OP_BRANCH || to->op == OP_RETURN ? to->op != OP_CONVERT || whole_numbers : 0;
}

static int read_special(const char *text) {
    static const char *registers[] = {"%tid.", "%ntid.", "%ctaid.", "%nctaid."};
    for (int i = 0; i < 4; i++) {
        size_t length = strlen(registers[i]);
        if (!strncmp(text, registers[i], length) && text[length] >= 'x' && text[length] <= 'z')
            return i * 3 + text[length] - 'x';
    }
    return -1;
}

/* 12, -1, 0x10, 0f3F800000 (the bits of a float), 0d… (of a double). */
static int read_constant(const char *text, PtxOperand *to) {
    char *end;
    int bits = text[0] == '0' && strchr("fFdD", text[1] ? text[1] : ' ') != NULL;
    to->kind = CONSTANT;
    to->value = bits ? strtoull(text + 2, &end, 16) : (uint64_t)strtoll(text, &end, 0);
    if (*end == 'U') end++;
    return !*end && end != text;
}

static int read_operand(PtxProgram *program, char *text, PtxOperand *to) {
    char *end = text + strlen(text), *plus;
    if (*text == '[') {
        if (end[-1] != ']') return 0;
        end[-1] = 0;
        text++;
        if ((plus = strchr(text, '+'))) {
            *plus = 0;
            to->offset = strtoll(plus + 1, NULL, 0);
        }
    }
    if (isdigit((unsigned char)*text) || *text == '-') return read_constant(text, to);
    if ((to->index = read_special(text)) >= 0) {
        to->kind = SPECIAL;
        return 1;
    }
    to->kind = *text == '%' ? REGISTER : PARAMETER;
    to->index = *text == '%' ? find_or_add(&program->registers, text) : find(&program->parameters, text);
    return to->index >= 0;
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);) *--end = 0;
    return text;
}

static char *read_guard(PtxProgram *program, char *text, PtxInstruction *to) {
    to->guard = -1;
    if (*text != '@') return text;
    char *name = text + 1, *rest = name + strcspn(name, " \t\n");
    if (*rest) *rest++ = 0;
    to->negated = *name == '!';
    to->guard = find_or_add(&program->registers, name + to->negated);
    return trim(rest);
}

static int read_instruction(PtxProgram *program, char *text, PtxInstruction *to) {
    memset(to, 0, sizeof *to);
    text = read_guard(program, text, to);
    char *operands = text + strcspn(text, " \t\n"), *one;
    if (*operands) *operands++ = 0;
    if (!read_operation(to, text)) return 0;
    operands = trim(operands);
    if (to->op == OP_BRANCH) {
        to->target = find_or_add(&program->labels, operands);
        return to->target >= 0;
    }
    while (*operands && (one = strsep(&operands, ","))) {
        if (to->count == 4 || !read_operand(program, trim(one), &to->operand[to->count])) return 0;
        to->count++;
        if (!operands) break;
    }
    return 1;
}

/* "LABEL: statement": keeps where the label stands and gives what follows it. */
static char *take_labels(PtxProgram *program, char *text) {
    for (;;) {
        size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$");
        if (!length || text[length] != ':') return text;
        text[length] = 0;
        int label = find_or_add(&program->labels, text);
        if (label >= 0) program->label_at[label] = program->length;
        text = trim(text + length + 1);
    }
}

static int add_statement(PtxProgram *program, char *text) {
    text = take_labels(program, trim(text));
    if (!*text || *text == '.') return 1; /* a directive: .reg, .loc, .pragma */
    PtxInstruction *grown = realloc(program->code, (size_t)(program->length + 1) * sizeof *grown);
    if (!grown) return 0;
    program->code = grown;
    if (!read_instruction(program, text, &grown[program->length])) return 0;
    program->length++;
    return 1;
}

/* "(.param .u64 a, .param .u32 n)": only whole numbers and floats, no arrays. */
static int read_parameters(PtxProgram *program, char *list) {
    char *one;
    while ((one = strsep(&list, ","))) {
        char kind[16], name[48];
        PtxType type;
        if (sscanf(one, " .param .%15s %47[^], \t\n[]", kind, name) != 2 || strchr(one, '[') || !read_type(kind, &type))
            return !*trim(one);
        find_or_add(&program->parameters, name);
    }
    return 1;
}

static void drop_comments(char *text) {
    for (char *at; (at = strstr(text, "//"));) memset(at, ' ', strcspn(at, "\n"));
    for (char *at, *end; (at = strstr(text, "/*")) && (end = strstr(at, "*/"));) memset(at, ' ', (size_t)(end + 2 - at));
}

static int read_body(PtxProgram *program, char *text, char *why) {
    char *one, shown[SIM_TEXT];
    while ((one = strsep(&text, ";"))) {
        sim_copy(shown, sizeof shown, trim(one));
        if (add_statement(program, one)) continue;
        sim_copy(why, SIM_TEXT, shown);
        return 0;
    }
    return 1;
}

PtxProgram *ptx_parse(const char *entry, char why[SIM_TEXT]) {
    char *text = strdup(entry), *list = NULL, *body = NULL, *end;
    PtxProgram *program = calloc(1, sizeof *program);
    sim_copy(why, SIM_TEXT, "its shape");
    if (text) drop_comments(text);
    if (text && (end = strchr(text, '{'))) {
        *end = 0;
        body = end + 1;
        list = strchr(text, '(');
    }
    end = body ? strchr(body, '}') : NULL;
    if (end) *end = 0;
    char *close = list ? strchr(list, ')') : NULL;
    if (close) *close = 0;
    int good = program && end && close && !strchr(body, '{') && read_parameters(program, list + 1) &&
               read_body(program, body, why);
    free(text);
    if (good) return program;
    ptx_free(program);
    return NULL;
}

void ptx_free(PtxProgram *program) {
    if (program) free(program->code);
    free(program);
}
