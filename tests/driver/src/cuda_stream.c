/* libcuda: streams and events. Work is done when it is asked for, so a stream is always empty and an event, once
 * recorded, always over. */
#include "sim_cuda.h"
#include <stdlib.h>
#include <time.h>

struct SimStream {
    unsigned flags;
    int priority;
    void *captured; /* the graph that is being made of it */
};
struct SimEvent {
    struct timespec at;
    int recorded;
};

int sim_stream_capture(CUstream stream, void *graph) {
    if (stream) stream->captured = graph;
    return stream != NULL;
}

void *sim_stream_captured(CUstream stream) { return stream ? stream->captured : NULL; }

static CUresult create_stream(CUstream *stream, unsigned flags, int priority) {
    if (!stream) return INVALID_VALUE;
    *stream = malloc(sizeof **stream);
    if (!*stream) return OUT_OF_MEMORY;
    **stream = (struct SimStream){flags, priority, NULL};
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    return create_stream(stream, flags, 0);
}

SIM_EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    SIM_ENTER();
    SIM_CONTEXT();
    return create_stream(stream, flags, priority);
}

SIM_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!stream) return INVALID_HANDLE;
    free(stream);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamQuery(CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    (void)flags;
    return event ? CUDA_SUCCESS : INVALID_HANDLE;
}

SIM_EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!flags) return INVALID_VALUE;
    *flags = stream ? stream->flags : 0;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!priority) return INVALID_VALUE;
    *priority = stream ? stream->priority : 0;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    if (!context) return INVALID_VALUE;
    *context = sim_current_context();
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamIsCapturing(CUstream stream, int *status) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!status) return INVALID_VALUE;
    *status = sim_stream_captured(stream) != NULL;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    if (!function) return INVALID_VALUE;
    function(data);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamAddCallback(CUstream stream, void (*function)(CUstream, CUresult, void *), void *data,
                                        unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    if (!function) return INVALID_VALUE;
    function(stream, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    if (!event) return INVALID_VALUE;
    *event = calloc(1, sizeof **event);
    return *event ? CUDA_SUCCESS : OUT_OF_MEMORY;
}

SIM_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!event) return INVALID_HANDLE;
    free(event);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)stream;
    if (!event) return INVALID_HANDLE;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    event->recorded = 1;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuEventQuery(CUevent event) {
    SIM_ENTER();
    SIM_CONTEXT();
    return event ? CUDA_SUCCESS : INVALID_HANDLE;
}

SIM_EXPORT CUresult cuEventSynchronize(CUevent event) {
    SIM_ENTER();
    SIM_CONTEXT();
    return event ? CUDA_SUCCESS : INVALID_HANDLE;
}

static CUresult elapsed(float *milliseconds, CUevent from, CUevent to) {
    if (!milliseconds) return INVALID_VALUE;
    if (!from || !to || !from->recorded || !to->recorded) return INVALID_HANDLE;
    *milliseconds = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
                            (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
    SIM_ENTER();
    SIM_CONTEXT();
    return elapsed(milliseconds, from, to);
}

SIM_EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to) {
    SIM_ENTER();
    SIM_CONTEXT();
    return elapsed(milliseconds, from, to);
}
