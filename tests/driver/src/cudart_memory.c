/* The CUDA runtime: memory, copies, streams and events: each asks the driver's function of the same purpose. */
#include "sim_cudart.h"

#define RUNTIME(signature, call)                    \
    SIM_EXPORT cudaError_t signature {              \
        SIM_ENTER();                                \
        cudaError_t code = sim_use_device();        \
        return sim_note(code ? code : (call));      \
    }

typedef void *Stream, *Event;

RUNTIME(cudaMalloc(void **pointer, size_t bytes), DRIVER(cuMemAlloc_v2, pointer, bytes))
RUNTIME(cudaMallocAsync(void **pointer, size_t bytes, Stream stream),
        DRIVER(cuMemAllocAsync, pointer, bytes, stream))
RUNTIME(cudaMallocManaged(void **pointer, size_t bytes, unsigned flags),
        DRIVER(cuMemAllocManaged, pointer, bytes, flags))
RUNTIME(cudaMallocHost(void **pointer, size_t bytes), DRIVER(cuMemAllocHost_v2, pointer, bytes))
RUNTIME(cudaHostAlloc(void **pointer, size_t bytes, unsigned flags), DRIVER(cuMemHostAlloc, pointer, bytes, flags))
RUNTIME(cudaFree(void *pointer), DRIVER(cuMemFree_v2, pointer))
RUNTIME(cudaFreeAsync(void *pointer, Stream stream), DRIVER(cuMemFreeAsync, pointer, stream))
RUNTIME(cudaFreeHost(void *pointer), DRIVER(cuMemFreeHost, pointer))
RUNTIME(cudaMemGetInfo(size_t *unused, size_t *total), DRIVER(cuMemGetInfo_v2, unused, total))

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

static cudaError_t copy(void *to, const void *from, size_t bytes, int kind) {
    switch (kind) {
    case HOST_TO_DEVICE: return DRIVER(cuMemcpyHtoD_v2, to, from, bytes);
    case DEVICE_TO_HOST: return DRIVER(cuMemcpyDtoH_v2, to, from, bytes);
    case DEVICE_TO_DEVICE: return DRIVER(cuMemcpyDtoD_v2, to, from, bytes);
    case HOST_TO_HOST:
    case BY_ADDRESS: return DRIVER(cuMemcpy, to, from, bytes);
    default: return 21; /* invalid memcpy direction */
    }
}

RUNTIME(cudaMemcpy(void *to, const void *from, size_t bytes, int kind), copy(to, from, bytes, kind))
RUNTIME(cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, Stream stream),
        ((void)stream, copy(to, from, bytes, kind)))
RUNTIME(cudaMemset(void *to, int value, size_t bytes), DRIVER(cuMemsetD8_v2, to, value & 0xff, bytes))
RUNTIME(cudaMemsetAsync(void *to, int value, size_t bytes, Stream stream),
        DRIVER(cuMemsetD8Async, to, value & 0xff, bytes, stream))

RUNTIME(cudaStreamCreate(Stream *stream), DRIVER(cuStreamCreate, stream, 0))
RUNTIME(cudaStreamCreateWithFlags(Stream *stream, unsigned flags), DRIVER(cuStreamCreate, stream, flags))
RUNTIME(cudaStreamCreateWithPriority(Stream *stream, unsigned flags, int priority),
        DRIVER(cuStreamCreateWithPriority, stream, flags, priority))
RUNTIME(cudaStreamDestroy(Stream stream), DRIVER(cuStreamDestroy_v2, stream))
RUNTIME(cudaStreamSynchronize(Stream stream), DRIVER(cuStreamSynchronize, stream))
RUNTIME(cudaStreamQuery(Stream stream), DRIVER(cuStreamQuery, stream))
RUNTIME(cudaStreamWaitEvent(Stream stream, Event event, unsigned flags),
        DRIVER(cuStreamWaitEvent, stream, event, flags))
RUNTIME(cudaStreamIsCapturing(Stream stream, int *status), DRIVER(cuStreamIsCapturing, stream, status))
RUNTIME(cudaLaunchHostFunc(Stream stream, void (*function)(void *), void *data),
        DRIVER(cuLaunchHostFunc, stream, function, data))

RUNTIME(cudaEventCreate(Event *event), DRIVER(cuEventCreate, event, 0))
RUNTIME(cudaEventCreateWithFlags(Event *event, unsigned flags), DRIVER(cuEventCreate, event, flags))
RUNTIME(cudaEventDestroy(Event event), DRIVER(cuEventDestroy_v2, event))
RUNTIME(cudaEventRecord(Event event, Stream stream), DRIVER(cuEventRecord, event, stream))
RUNTIME(cudaEventSynchronize(Event event), DRIVER(cuEventSynchronize, event))
RUNTIME(cudaEventQuery(Event event), DRIVER(cuEventQuery, event))
RUNTIME(cudaEventElapsedTime(float *milliseconds, Event from, Event to),
        DRIVER(cuEventElapsedTime, milliseconds, from, to))
