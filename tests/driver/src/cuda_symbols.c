/* libcuda: cuGetProcAddress, by which the runtime and newer programs find its functions. */
#define _GNU_SOURCE
#include "sim_cuda.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *self;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_self(void) {
    Dl_info here;
    if (dladdr((void *)open_self, &here)) self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* The newest form of a function: asked for "cuMemAlloc", it is cuMemAlloc_v2 that a program of today gets. */
static void *find(const char *name) {
    static const char *forms[] = {"%s_v3", "%s_v2", "%s"};
    char full[SIM_TEXT];
    pthread_once(&once, open_self);
    for (unsigned i = 0; self && i < sizeof forms / sizeof *forms; i++) {
        snprintf(full, sizeof full, forms[i], name);
        void *found = dlsym(self, full);
        if (found) return found;
    }
    return NULL;
}

SIM_EXPORT CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    SIM_ENTER();
    (void)flags;
    if (!name || !function || version > sim_scenario()->cuda_version) return INVALID_VALUE;
    *function = find(name);
    return *function ? CUDA_SUCCESS : NOT_FOUND;
}

SIM_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    SIM_ENTER();
    (void)flags;
    if (!name || !function || version > sim_scenario()->cuda_version) return INVALID_VALUE;
    *function = find(name);
    if (status) *status = *function ? 0 : 1; /* found, not found */
    return *function || status ? CUDA_SUCCESS : NOT_FOUND;
}
