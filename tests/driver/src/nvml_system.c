/* NVML: start, end, versions, words for errors, names of processes. */
#include "sim_nvml.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int references;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int sim_nvml_is_initialized(void) { return references > 0; }

static nvmlReturn_t start(void) {
    sim_scenario();
    pthread_mutex_lock(&lock);
    references++;
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlInit(void) {
    SIM_ENTER();
    return start();
}

SIM_EXPORT nvmlReturn_t nvmlInit_v2(void) {
    SIM_ENTER();
    return start();
}

SIM_EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned flags) {
    SIM_ENTER();
    (void)flags;
    return start();
}

SIM_EXPORT nvmlReturn_t nvmlShutdown(void) {
    SIM_ENTER();
    SIM_NVML();
    pthread_mutex_lock(&lock);
    references--;
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}

static nvmlReturn_t text(char *to, unsigned size, const char *from) {
    if (!to) return INVALID_ARGUMENT;
    if (strlen(from) + 1 > size) return INSUFFICIENT_SIZE;
    sim_copy(to, size, from);
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned size) {
    SIM_ENTER();
    SIM_NVML();
    return text(version, size, sim_scenario()->driver_version);
}

SIM_EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned size) {
    SIM_ENTER();
    return text(version, size, sim_scenario()->nvml_version);
}

static nvmlReturn_t cuda_version(int *version) {
    if (!version) return INVALID_ARGUMENT;
    *version = (int)sim_scenario()->cuda_version;
    return NVML_SUCCESS;
}

SIM_EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
    SIM_ENTER();
    return cuda_version(version);
}

SIM_EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
    SIM_ENTER();
    return cuda_version(version);
}

static const char *named_by_scenario(unsigned pid) {
    SimScenario *scenario = sim_scenario();
    for (int i = 0; i < scenario->gpu_count; i++)
        for (int j = 0; j < scenario->gpu[i].process_count; j++)
            if (scenario->gpu[i].process[j].pid == pid) return scenario->gpu[i].process[j].name;
    return NULL;
}

/* The whole command line's first word, as the driver gives it; cut to fit. */
SIM_EXPORT nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *name, unsigned size) {
    SIM_ENTER();
    SIM_NVML();
    if (!name || !size) return INVALID_ARGUMENT;
    const char *known = named_by_scenario(pid);
    if (known) {
        sim_copy(name, size, known);
        return NVML_SUCCESS;
    }
    char path[64], target[4096];
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return NOT_FOUND;
    target[length] = 0;
    sim_copy(name, size, target);
    return NVML_SUCCESS;
}

/* Not counted as a call: the words stay readable whatever is broken. */
SIM_EXPORT const char *nvmlErrorString(nvmlReturn_t code) {
    static const char *words[] = {
        "The operation was successful", "Uninitialized", "Invalid Argument", "Not Supported",
        "Insufficient Permissions", "Already Initialized", "Not Found", "Insufficient Size",
        "Insufficient External Power", "Driver Not Loaded", "Timeout", "Interrupt Request Issue",
        "NVML Shared Library Not Found", "Function Not Found", "Corrupted infoROM", "GPU is lost",
        "GPU requires reset", "GPU access blocked by the operating system", "Driver/library version mismatch",
        "In use by another client", "Insufficient Memory", "No data", "ECC is enabled on the vGPU",
        "Insufficient Resources", "Frequency Not Supported", "Argument version mismatch", "Deprecated",
        "Not Ready", "GPU not found", "Invalid State"};
    int known = code >= 0 && code < (int)(sizeof words / sizeof *words);
    return known ? words[code] : "Unknown Error";
}
