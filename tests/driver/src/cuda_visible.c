/* CUDA_VISIBLE_DEVICES, as the driver reads it.
 *
 * Indices or UUIDs (unique beginnings suffice), the first entry deciding which. An entry that fits nothing ends
 * the list there; the same device twice, or a beginning that fits several, leaves no device at all. Those rules
 * are the ones that PyTorch's torch/cuda/__init__.py (_parse_visible_devices) took from the driver, 2024. */
#include "sim_cuda.h"
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

static int by_rank(const void *left, const void *right) {
    const SimDevice *a = left, *b = right;
    if (a->gpu->cuda_rank != b->gpu->cuda_rank) return a->gpu->cuda_rank < b->gpu->cuda_rank ? -1 : 1;
    return a->gpu_index - b->gpu_index;
}

/* Every whole GPU that a program could use, fastest first unless CUDA_DEVICE_ORDER=PCI_BUS_ID. */
static int whole_gpus(SimDevice *found) {
    SimScenario *scenario = sim_scenario();
    int count = 0;
    for (int i = 0; i < scenario->gpu_count; i++) {
        SimGpu *gpu = &scenario->gpu[i];
        if (!sim_gpu_lost(gpu) && gpu->mig_mode != 1) found[count++] = (SimDevice){gpu, NULL, i};
    }
    const char *order = getenv("CUDA_DEVICE_ORDER");
    if (!order || strcmp(order, "PCI_BUS_ID")) qsort(found, (size_t)count, sizeof *found, by_rank);
    return count;
}

/* A MIG slice whose UUID begins with `text`; with no text the first slice there is. */
static int find_slice(const char *text, SimDevice *found) {
    SimScenario *scenario = sim_scenario();
    int matches = 0;
    for (int i = 0; i < scenario->gpu_count; i++)
        for (int j = 0; j < scenario->gpu[i].mig_count; j++) {
            SimGpu *gpu = &scenario->gpu[i];
            if (sim_gpu_lost(gpu) || gpu->mig_mode != 1) continue;
            if (text && strncmp(gpu->mig[j].uuid, text, strlen(text))) continue;
            if (!matches++) *found = (SimDevice){gpu, &gpu->mig[j], i};
        }
    return text ? matches : matches > 0;
}

static int find_uuid(const char *text, const SimDevice *all, int count, SimDevice *found) {
    int matches = 0;
    for (int i = 0; i < count; i++)
        if (!strncmp(all[i].gpu->uuid, text, strlen(text)) && !matches++) *found = all[i];
    return matches;
}

static int find_index(const char *text, const SimDevice *all, int count, SimDevice *found) {
    char *end;
    long index = strtol(text, &end, 10);
    if (end == text || index < 0 || index >= count) return 0;
    *found = all[index];
    return 1;
}

static int is_uuid(const char *text) { return !strncmp(text, "GPU-", 4) || !strncmp(text, "MIG-", 4); }

static int look_up(const char *entry, const SimDevice *all, int count, SimDevice *found) {
    if (!strncmp(entry, "MIG-", 4)) return find_slice(entry, found);
    if (!strncmp(entry, "GPU-", 4)) return find_uuid(entry, all, count, found);
    return find_index(entry, all, count, found);
}

static int has(const SimDevice *list, int count, const SimDevice *one) {
    for (int i = 0; i < count; i++)
        if (list[i].gpu == one->gpu && list[i].mig == one->mig) return 1;
    return 0;
}

static char *next_entry(char **rest) {
    char *entry = strsep(rest, ",");
    while (entry && isspace((unsigned char)*entry)) entry++;
    for (char *end = entry ? entry + strlen(entry) : NULL; end && end > entry && isspace((unsigned char)end[-1]);)
        *--end = 0;
    return entry;
}

static int chosen(const char *list, const SimDevice *all, int count, SimDevice *visible) {
    char copy[4096], *rest = copy, *entry;
    sim_copy(copy, sizeof copy, list);
    int picked = 0, uuids = -1;
    while (picked < SIM_MAX_GPUS && (entry = next_entry(&rest))) {
        SimDevice found;
        if (uuids < 0) uuids = is_uuid(entry);
        int matches = is_uuid(entry) == uuids ? look_up(entry, all, count, &found) : 0;
        if (!matches) break;
        if (matches > 1 || has(visible, picked, &found)) return 0;
        visible[picked++] = found;
        if (found.mig) break; /* a process gets one slice, whatever the list says */
    }
    return picked;
}

int sim_visible_devices(SimDevice visible[SIM_MAX_GPUS]) {
    SimDevice all[SIM_MAX_GPUS];
    int count = whole_gpus(all);
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (list) {
        if (!count && !is_uuid(list)) count = find_slice(NULL, all);
        return chosen(list, all, count, visible);
    }
    if (!count) return find_slice(NULL, visible);
    memcpy(visible, all, sizeof all);
    return count;
}
