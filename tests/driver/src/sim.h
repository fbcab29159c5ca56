/* What every simulated library shares: the scenario, the faults that it orders, and how a function begins.
 *
 * Each library links its own copy of scenario.c and faults.c, as the real ones share nothing but the kernel
 * module. The runtime libraries learn about a broken context the way the real ones do: by asking libcuda. */
#ifndef SIM_H
#define SIM_H
#include <stddef.h>
#include <stdint.h>

#define SIM_MAX_GPUS 16
#define SIM_MAX_MIG 8
#define SIM_MAX_PROCESSES 16
#define SIM_MAX_FAULTS 64
#define SIM_TEXT 128

typedef struct {
    long long pid, bytes;
    char name[SIM_TEXT];
} SimProcess;

typedef struct {
    char name[SIM_TEXT], uuid[SIM_TEXT];
    long long memory_total, memory_used, gpu_instance, compute_instance;
} SimMig;

/* One GPU. Sizes are bytes, temperatures °C, power mW, utilisation percent, clocks MHz. */
typedef struct {
    char name[SIM_TEXT], uuid[SIM_TEXT], serial[SIM_TEXT], pci[SIM_TEXT], license[SIM_TEXT];
    long long major, minor, memory_total, memory_used, context_bytes, multiprocessors, cuda_rank;
    long long compute_mode, persistence, mig_mode, mig_pending, lost, xid;
    long long ecc_supported, ecc_mode, ecc_pending;
    long long ecc_corrected_volatile, ecc_corrected_aggregate;
    long long ecc_uncorrected_volatile, ecc_uncorrected_aggregate;
    long long retired_single, retired_double, retired_pending;
    long long remapped_supported, remapped_corrected, remapped_uncorrected, remapped_pending, remapped_failed;
    long long clock_reasons, temperature, power, power_limit, utilization_gpu, utilization_memory;
    long long link_width, link_width_max, link_generation, link_generation_max;
    long long clock_sm, clock_memory, virtualization, license_supported, licensed;
    int mig_count, process_count;
    SimMig mig[SIM_MAX_MIG];
    SimProcess process[SIM_MAX_PROCESSES];
} SimGpu;

typedef enum { SIM_ERROR, SIM_HANG, SIM_DEAF, SIM_CRASH, SIM_EXIT, SIM_SLOW, SIM_FLOOD } SimAction;

/* One `fault` line: what happens at which calls of the functions whose names match `pattern`. */
typedef struct {
    char pattern[SIM_TEXT];
    SimAction action;
    double argument;
    long long first, last; /* the calls, counted from 1, at which it fires */
    int sticky, trip;
    long long calls;
} SimFault;

typedef struct {
    char path[4096];
    char driver_version[SIM_TEXT], nvml_version[SIM_TEXT];
    long long cuda_version, runtime_version, cudnn_version, cublas_version, cufft_version, cusolver_version;
    long long cusparse_version, nccl_version, wrong_kernel, wrong_matmul, computes_nothing;
    int gpu_count, fault_count;
    SimGpu gpu[SIM_MAX_GPUS];
    SimFault fault[SIM_MAX_FAULTS];
} SimScenario;

/* The scenario of this process, read at the first call. A scenario that can't be read ends the process with
 * exit status 97 and a line on stderr: a test must never pass on a default that nobody ordered. */
SimScenario *sim_scenario(void);

/* Says that `function` was called, and obeys its faults. Returns the error code to answer, 0 to go on. */
int sim_enter(const char *function);

/* True where a sticky fault or a failed kernel broke this process' context; `code` is the error to repeat. */
int sim_poisoned(int *code);

/* From now on each call that needs the context answers `code`. */
void sim_poison(int code);

/* True where the device was tripped, by this process or by one before it. */
int sim_tripped(void);

/* The GPU is gone: the scenario says so, or a fault tripped it. */
int sim_gpu_lost(const SimGpu *gpu);

/* One line into the trace file ($TFSIM_TRACE), where there is one. */
void sim_trace(const char *kind, const char *text);

/* Copies text into a caller's buffer, cut to fit and always ended. */
void sim_copy(char *to, size_t size, const char *text);

/* "GPU-01234567-89ab-…" to its sixteen bytes; what is no UUID gives the bytes of its text. */
void sim_uuid_bytes(const char *uuid, unsigned char bytes[16]);

/* "00000000:3B:00.0" to its three numbers; 0 where there are none. */
void sim_pci_parts(const char *pci, unsigned *domain, unsigned *bus, unsigned *device);

#define SIM_EXPORT __attribute__((visibility("default")))

/* The first line of every function that a library answers by hand. */
#define SIM_ENTER()                                \
    do {                                           \
        int sim_code = sim_enter(__func__);        \
        if (sim_code) return (__typeof__(sim_code))sim_code; \
    } while (0)

/* A function that nobody wrote by hand: weak, so that a hand-written one of the same name wins. */
#define SIM_STUB(name, code)                                             \
    __attribute__((weak)) SIM_EXPORT int name(void);                     \
    __attribute__((weak)) SIM_EXPORT int name(void) {                    \
        int sim_code = sim_enter(#name);                                 \
        if (!sim_code) sim_trace("stub", #name);                         \
        return sim_code ? sim_code : (code);                             \
    }
#endif
