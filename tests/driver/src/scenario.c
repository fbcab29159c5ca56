/* Reads the scenario: "key = value" lines; [gpu] and [mig] begin a new one. Written by scenario.py. */
#define _GNU_SOURCE
#include "sim.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct {
    const char *key;
    size_t offset;
    int is_text;
} Key;

#define SCENARIO_TEXT(field) {#field, offsetof(SimScenario, field), 1}
#define SCENARIO_NUMBER(field) {#field, offsetof(SimScenario, field), 0}
#define GPU_TEXT(field) {#field, offsetof(SimGpu, field), 1}
#define GPU_NUMBER(field) {#field, offsetof(SimGpu, field), 0}
#define MIG_TEXT(field) {#field, offsetof(SimMig, field), 1}
#define MIG_NUMBER(field) {#field, offsetof(SimMig, field), 0}

static const Key scenario_keys[] = {
    SCENARIO_TEXT(driver_version), SCENARIO_TEXT(nvml_version), SCENARIO_NUMBER(cuda_version),
    SCENARIO_NUMBER(runtime_version), SCENARIO_NUMBER(cudnn_version), SCENARIO_NUMBER(cublas_version),
    SCENARIO_NUMBER(cufft_version), SCENARIO_NUMBER(cusolver_version), SCENARIO_NUMBER(cusparse_version),
    SCENARIO_NUMBER(nccl_version), SCENARIO_NUMBER(wrong_kernel), SCENARIO_NUMBER(wrong_matmul),
    SCENARIO_NUMBER(computes_nothing), {0, 0, 0}};

static const Key gpu_keys[] = {
    GPU_TEXT(name), GPU_TEXT(uuid), GPU_TEXT(serial), GPU_TEXT(pci), GPU_TEXT(license), GPU_NUMBER(major),
    GPU_NUMBER(minor), GPU_NUMBER(memory_total), GPU_NUMBER(memory_used), GPU_NUMBER(context_bytes),
    GPU_NUMBER(multiprocessors), GPU_NUMBER(cuda_rank), GPU_NUMBER(compute_mode), GPU_NUMBER(persistence),
    GPU_NUMBER(mig_mode), GPU_NUMBER(mig_pending), GPU_NUMBER(lost), GPU_NUMBER(xid),
    GPU_NUMBER(ecc_supported), GPU_NUMBER(ecc_mode), GPU_NUMBER(ecc_pending),
    GPU_NUMBER(ecc_corrected_volatile), GPU_NUMBER(ecc_corrected_aggregate),
    GPU_NUMBER(ecc_uncorrected_volatile), GPU_NUMBER(ecc_uncorrected_aggregate), GPU_NUMBER(retired_single),
    GPU_NUMBER(retired_double), GPU_NUMBER(retired_pending), GPU_NUMBER(remapped_supported),
    GPU_NUMBER(remapped_corrected), GPU_NUMBER(remapped_uncorrected), GPU_NUMBER(remapped_pending),
    GPU_NUMBER(remapped_failed), GPU_NUMBER(clock_reasons), GPU_NUMBER(temperature), GPU_NUMBER(power),
    GPU_NUMBER(power_limit), GPU_NUMBER(utilization_gpu), GPU_NUMBER(utilization_memory),
    GPU_NUMBER(link_width), GPU_NUMBER(link_width_max), GPU_NUMBER(link_generation),
    GPU_NUMBER(link_generation_max), GPU_NUMBER(clock_sm), GPU_NUMBER(clock_memory), GPU_NUMBER(virtualization),
    GPU_NUMBER(license_supported), GPU_NUMBER(licensed), {0, 0, 0}};

static const Key mig_keys[] = {
    MIG_TEXT(name), MIG_TEXT(uuid), MIG_NUMBER(memory_total), MIG_NUMBER(memory_used),
    MIG_NUMBER(gpu_instance), MIG_NUMBER(compute_instance), {0, 0, 0}};

static SimScenario scenario;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void refuse(const char *why, const char *what) {
    fprintf(stderr, "simulated driver: scenario %s: %s: %s\n", scenario.path, why, what);
    _exit(97);
}

static void find_path(void) {
    const char *given = getenv("TFSIM_SCENARIO");
    if (given && *given) {
        sim_copy(scenario.path, sizeof scenario.path, given);
        return;
    }
    Dl_info here;
    if (!dladdr((void *)find_path, &here) || !here.dli_fname) refuse("unknown place", "dladdr");
    const char *slash = strrchr(here.dli_fname, '/');
    int length = slash ? (int)(slash - here.dli_fname) : 1;
    snprintf(scenario.path, sizeof scenario.path, "%.*s/tfsim.scenario", length, slash ? here.dli_fname : ".");
}

static int set(const Key *keys, void *base, const char *key, const char *value) {
    for (; keys->key; keys++) {
        if (strcmp(keys->key, key)) continue;
        char *field = (char *)base + keys->offset;
        if (keys->is_text) {
            sim_copy(field, SIM_TEXT, value);
        } else {
            char *end;
            *(long long *)(void *)field = strtoll(value, &end, 0);
            if (end == value || *end) refuse("no number", value);
        }
        return 1;
    }
    return 0;
}

static void add_process(SimGpu *gpu, const char *value) {
    if (gpu->process_count == SIM_MAX_PROCESSES) refuse("too many processes", value);
    SimProcess *process = &gpu->process[gpu->process_count++];
    int at = 0;
    if (sscanf(value, "%lld %lld %n", &process->pid, &process->bytes, &at) < 2) refuse("no process", value);
    sim_copy(process->name, SIM_TEXT, value + at);
}

/* fault = PATTERN ACTION ARGUMENT FIRST LAST STICKY TRIP */
static void add_fault(const char *value) {
    static const char *names[] = {"error", "hang", "deaf", "crash", "exit", "slow", "flood"};
    if (scenario.fault_count == SIM_MAX_FAULTS) refuse("too many faults", value);
    SimFault *fault = &scenario.fault[scenario.fault_count++];
    char action[SIM_TEXT];
    if (sscanf(value, "%127s %127s %lf %lld %lld %d %d", fault->pattern, action, &fault->argument, &fault->first,
               &fault->last, &fault->sticky, &fault->trip) != 7)
        refuse("no fault", value);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], action)) {
            fault->action = (SimAction)i;
            return;
        }
    refuse("no action", action);
}

static void read_line(char *line, SimGpu **gpu, SimMig **mig) {
    if (!*line || *line == '#') return;
    if (!strcmp(line, "[gpu]")) {
        if (scenario.gpu_count == SIM_MAX_GPUS) refuse("too many", line);
        *gpu = &scenario.gpu[scenario.gpu_count++];
        *mig = NULL;
        return;
    }
    if (!strcmp(line, "[mig]")) {
        if (!*gpu || (*gpu)->mig_count == SIM_MAX_MIG) refuse("no room", line);
        *mig = &(*gpu)->mig[(*gpu)->mig_count++];
        return;
    }
    char *value = strstr(line, " = ");
    if (!value) refuse("no key = value", line);
    *value = 0;
    value += 3;
    if (!strcmp(line, "fault"))
        add_fault(value);
    else if (*gpu && !strcmp(line, "process"))
        add_process(*gpu, value);
    else if (!(*mig ? set(mig_keys, *mig, line, value)
                    : *gpu ? set(gpu_keys, *gpu, line, value) : set(scenario_keys, &scenario, line, value)))
        refuse("unknown key", line);
}

static void load(void) {
    find_path();
    FILE *file = fopen(scenario.path, "re");
    if (!file) refuse("can't be read", "fopen");
    char *line = NULL;
    size_t room = 0;
    SimGpu *gpu = NULL;
    SimMig *mig = NULL;
    ssize_t length;
    while ((length = getline(&line, &room, file)) >= 0) {
        if (length && line[length - 1] == '\n') line[length - 1] = 0;
        read_line(line, &gpu, &mig);
    }
    free(line);
    fclose(file);
}

SimScenario *sim_scenario(void) {
    pthread_once(&once, load);
    return &scenario;
}

void sim_copy(char *to, size_t size, const char *text) {
    if (size) snprintf(to, size, "%s", text);
}

void sim_uuid_bytes(const char *uuid, unsigned char bytes[16]) {
    const char *text = strchr(uuid, '-');
    memset(bytes, 0, 16);
    int count = 0;
    for (text = text ? text + 1 : uuid; *text && count < 32; text++) {
        const char *digit = strchr("0123456789abcdef", *text >= 'A' && *text <= 'F' ? *text + 32 : *text);
        if (!digit || !*digit) continue;
        int value = (int)(digit - "0123456789abcdef");
        bytes[count / 2] |= (unsigned char)(count % 2 ? value : value << 4);
        count++;
    }
}

void sim_pci_parts(const char *pci, unsigned *domain, unsigned *bus, unsigned *device) {
    *domain = *bus = *device = 0;
    if (sscanf(pci, "%x:%x:%x", domain, bus, device) != 3) *domain = *bus = *device = 0;
}
