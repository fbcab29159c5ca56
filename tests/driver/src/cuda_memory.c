/* libcuda: device memory. It is host memory that nothing pays for until it is touched (MAP_NORESERVE), counted
 * against the size that the scenario gives the GPU. */
#define _GNU_SOURCE
#include "sim_cuda.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct Block {
    CUdeviceptr start;
    size_t bytes;
    int device, on_host;
    struct Block *next;
} Block;

static Block *blocks;
static long long allocated[SIM_MAX_GPUS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

long long sim_memory_total(int ordinal) {
    SimDevice *device = sim_device(ordinal);
    return device->mig ? device->mig->memory_total : device->gpu->memory_total;
}

static long long held_by_others(const SimDevice *device) {
    SimHolder holders[SIM_MAX_PROCESSES];
    int count = sim_presence_list(device->gpu_index, holders, SIM_MAX_PROCESSES);
    long long bytes = device->mig ? device->mig->memory_used : device->gpu->memory_used;
    for (int i = 0; i < count; i++) bytes += holders[i].bytes;
    return bytes;
}

/* What is left after the scenario's share, and the shares of every living process, this one included. */
long long sim_memory_free(int ordinal) {
    long long left = sim_memory_total(ordinal) - held_by_others(sim_device(ordinal));
    return left > 0 ? left : 0;
}

static void publish(int ordinal) {
    SimDevice *device = sim_device(ordinal);
    sim_presence_publish(device->gpu_index, device->gpu->context_bytes + allocated[ordinal]);
}

static CUresult take(CUdeviceptr *pointer, size_t bytes, int device, int on_host) {
    if (!pointer || !bytes) return INVALID_VALUE;
    if (!on_host && (long long)bytes > sim_memory_free(device)) return OUT_OF_MEMORY;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    Block *block = malloc(sizeof *block);
    if (memory == MAP_FAILED || !block) return OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *block = (Block){(CUdeviceptr)memory, bytes, device, on_host, blocks};
    blocks = block;
    if (!on_host) allocated[device] += (long long)bytes;
    pthread_mutex_unlock(&lock);
    if (!on_host) publish(device);
    *pointer = block->start;
    return CUDA_SUCCESS;
}

static CUresult give_back(CUdeviceptr pointer) {
    if (!pointer) return CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    Block **link = &blocks;
    while (*link && (*link)->start != pointer) link = &(*link)->next;
    Block *block = *link;
    if (block) {
        *link = block->next;
        if (!block->on_host) allocated[block->device] -= (long long)block->bytes;
    }
    pthread_mutex_unlock(&lock);
    if (!block) return INVALID_VALUE;
    if (!block->on_host) publish(block->device);
    munmap((void *)block->start, block->bytes);
    free(block);
    return CUDA_SUCCESS;
}

static Block find(CUdeviceptr pointer) {
    Block answer = {0};
    pthread_mutex_lock(&lock);
    for (Block *block = blocks; block; block = block->next)
        if (pointer >= block->start && pointer < block->start + block->bytes) {
            answer = *block;
            break;
        }
    pthread_mutex_unlock(&lock);
    return answer;
}

int sim_memory_valid(CUdeviceptr pointer, size_t bytes) {
    Block block = find(pointer);
    return block.start && bytes <= block.bytes - (pointer - block.start);
}

SIM_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
    SIM_ENTER();
    SIM_CONTEXT();
    return take(pointer, bytes, sim_current_context()->device, 0);
}

SIM_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    return take(pointer, bytes, sim_current_context()->device, 0);
}

SIM_EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
    SIM_ENTER();
    SIM_CONTEXT();
    return give_back(pointer);
}

SIM_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    return take(pointer, bytes, sim_current_context()->device, 0);
}

SIM_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, void *pool, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)pool;
    (void)stream;
    return take(pointer, bytes, sim_current_context()->device, 0);
}

SIM_EXPORT CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    return give_back(pointer);
}

SIM_EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    return take((CUdeviceptr *)(void *)pointer, bytes, sim_current_context()->device, 1);
}

SIM_EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
    SIM_ENTER();
    SIM_CONTEXT();
    return take((CUdeviceptr *)(void *)pointer, bytes, sim_current_context()->device, 1);
}

SIM_EXPORT CUresult cuMemFreeHost(void *pointer) {
    SIM_ENTER();
    SIM_CONTEXT();
    return give_back((CUdeviceptr)pointer);
}

SIM_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pointer, void *host, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    if (!pointer) return INVALID_VALUE;
    *pointer = (CUdeviceptr)host;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    return pointer && bytes ? CUDA_SUCCESS : INVALID_VALUE;
}

SIM_EXPORT CUresult cuMemHostUnregister(void *pointer) {
    SIM_ENTER();
    SIM_CONTEXT();
    return pointer ? CUDA_SUCCESS : INVALID_VALUE;
}

SIM_EXPORT CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
    SIM_ENTER();
    SIM_CONTEXT();
    int device = sim_current_context()->device;
    if (!unused || !total) return INVALID_VALUE;
    *unused = (size_t)sim_memory_free(device);
    *total = (size_t)sim_memory_total(device);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr pointer) {
    SIM_ENTER();
    SIM_CONTEXT();
    Block block = find(pointer);
    if (!block.start) return NOT_FOUND;
    if (start) *start = block.start;
    if (bytes) *bytes = block.bytes;
    return CUDA_SUCCESS;
}

enum { MEMORY_TYPE = 2, DEVICE_POINTER = 3, HOST_POINTER = 4, IS_MANAGED = 8, DEVICE_ORDINAL = 9 };

SIM_EXPORT CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr pointer) {
    SIM_ENTER();
    SIM_READY();
    Block block = find(pointer);
    if (!block.start || !value) return INVALID_VALUE;
    switch (attribute) {
    case MEMORY_TYPE: *(unsigned *)value = block.on_host ? 1 : 2; break;
    case DEVICE_POINTER:
    case HOST_POINTER: *(CUdeviceptr *)value = pointer; break;
    case IS_MANAGED: *(unsigned *)value = 0; break;
    case DEVICE_ORDINAL: *(int *)value = block.device; break;
    default: return NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}
