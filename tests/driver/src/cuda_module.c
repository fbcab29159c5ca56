/* libcuda: modules. PTX is read as far as its header goes and refused in the words of ptxas 12.9; binaries
 * (cubin, fatbin) are taken on trust and hold every function that is asked for. */
#define _GNU_SOURCE
#include "sim_module.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The newest PTX version each CUDA release compiles: NVIDIA, "PTX ISA", release history, edition 9.0 (2025). */
static const struct {
    int cuda, ptx;
} ptx_of_cuda[] = {{13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84}, {12030, 83},
                   {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75},
                   {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70}, {10020, 65}, {10010, 64},
                   {10000, 63}, {9020, 62},  {9010, 61},  {9000, 60},  {8000, 50},  {0, 43}};

static int newest_ptx(void) {
    int i = 0;
    while (sim_scenario()->cuda_version < ptx_of_cuda[i].cuda) i++;
    return ptx_of_cuda[i].ptx;
}

enum { JIT_INFO_BUFFER = 3, JIT_INFO_SIZE = 4, JIT_ERROR_BUFFER = 5, JIT_ERROR_SIZE = 6 };

/* Puts text where the caller wants the compiler's errors; cuModuleLoadDataEx's two parallel lists. */
static CUresult complain(const JitLog *log, CUresult code, const char *text) {
    char *buffer = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < log->count; i++) {
        if (log->options[i] == JIT_ERROR_BUFFER) buffer = log->values[i];
        if (log->options[i] == JIT_ERROR_SIZE) size = (size_t)(uintptr_t)log->values[i] & 0xffffffff;
    }
    if (buffer && size) sim_copy(buffer, size, text);
    return code;
}

static CUresult compile(const char *text, const JitLog *log) {
    char message[256], letter = 0;
    int major, minor, target;
    const char *version = strstr(text, ".version"), *arch = strstr(text, ".target");
    if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2)
        return complain(log, INVALID_PTX, "ptxas application ptx input, line 1; fatal   : Missing .version directive");
    if (!arch || sscanf(arch, ".target sm_%d%c", &target, &letter) < 1)
        return complain(log, INVALID_PTX, "ptxas application ptx input, line 2; fatal   : Missing .target directive");
    if (major * 10 + minor > newest_ptx()) {
        snprintf(message, sizeof message, "ptxas application ptx input, line 1; fatal   : Unsupported .version %d.%d; "
                 "current version is '%d.%d'", major, minor, newest_ptx() / 10, newest_ptx() % 10);
        return complain(log, UNSUPPORTED_PTX_VERSION, message);
    }
    const SimGpu *gpu = sim_device(sim_current_context()->device)->gpu;
    int own = (int)(gpu->major * 10 + gpu->minor);
    if (target > own)
        return complain(log, INVALID_PTX, "ptxas fatal   : SM version specified by .target is higher than default SM "
                        "version assumed");
    if (letter == 'a' && target != own) {
        snprintf(message, sizeof message, "ptxas fatal   : Program with .target 'sm_%da' cannot be compiled to future "
                 "architecture", target);
        return complain(log, INVALID_PTX, message);
    }
    return CUDA_SUCCESS;
}

/* Where a kernel's text begins: ".entry NAME" followed by what can't belong to a name. */
static const char *find_entry(const char *text, const char *name) {
    for (const char *at = text; (at = strstr(at, ".entry"));) {
        at += strlen(".entry");
        while (*at == ' ' || *at == '\t' || *at == '\n') at++;
        size_t length = strlen(name);
        if (!strncmp(at, name, length) && strchr(" \t\r\n(", at[length])) return at;
    }
    return NULL;
}

static int is_binary(const unsigned char *image) {
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba}, wrapper[4] = {0xb1, 0x43, 0x62, 0x46};
    return !memcmp(image, "\177ELF", 4) || !memcmp(image, fatbin, 4) || !memcmp(image, wrapper, 4);
}

static CUresult load(CUmodule *module, const void *image, const JitLog *log) {
    if (!module || !image) return INVALID_VALUE;
    CUresult answer = CUDA_SUCCESS;
    const char *text = is_binary(image) ? NULL : image;
    if (text) answer = strstr(text, ".version") || strstr(text, ".entry") ? compile(text, log) : INVALID_IMAGE;
    if (answer) return answer;
    CUmodule made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->text = text ? strdup(text) : NULL;
    *module = made;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, const int *options,
                                       void **values) {
    SIM_ENTER();
    SIM_CONTEXT();
    JitLog log = {count, options, values};
    return load(module, image, &log);
}

SIM_EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    SIM_ENTER();
    SIM_CONTEXT();
    JitLog log = {0, NULL, NULL};
    return load(module, image, &log);
}

SIM_EXPORT CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    SIM_ENTER();
    SIM_CONTEXT();
    JitLog log = {0, NULL, NULL};
    return load(module, image, &log);
}

SIM_EXPORT CUresult cuModuleUnload(CUmodule module) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!module) return INVALID_HANDLE;
    for (CUfunction function = module->functions, next; function; function = next) {
        next = function->next;
        ptx_free(function->program);
        free(function);
    }
    free(module->text);
    free(module);
    return CUDA_SUCCESS;
}

static PtxProgram *read_program(const char *entry, const char *name) {
    char why[SIM_TEXT], line[2 * SIM_TEXT + 8];
    PtxProgram *program = ptx_parse(entry, why);
    if (program) return program;
    snprintf(line, sizeof line, "%s: %s", name, why);
    for (char *at = line; *at; at++)
        if (*at == '\n') *at = ' ';
    sim_trace("beyond", line);
    return NULL;
}

SIM_EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!module) return INVALID_HANDLE;
    if (!function || !name) return INVALID_VALUE;
    const char *entry = module->text ? find_entry(module->text, name) : NULL;
    if (module->text && !entry) return NOT_FOUND;
    CUfunction made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    sim_copy(made->name, sizeof made->name, name);
    if (entry) made->program = read_program(entry, name);
    made->next = module->functions;
    module->functions = made;
    *function = made;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)pointer;
    (void)bytes;
    (void)name;
    return module ? NOT_FOUND : INVALID_HANDLE;
}
