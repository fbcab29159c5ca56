/* cuDNN's backend API: descriptors that keep what they are told, one engine for every graph, and its execution. */
#include "sim_cudnn.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_BOOLEAN = 2, TYPE_INT64 = 3, TYPE_FLOAT = 4, TYPE_DESCRIPTOR = 15, TYPE_CHAR = 24, TYPE_FRACTION = 26 };
enum {
    HEURISTIC_GRAPH = 201,
    HEURISTIC_RESULTS = 202,
    CONFIG_ENGINE = 300,
    CONFIG_WORKSPACE = 303,
    PLAN_CONFIG = 401,
    PLAN_WORKSPACE = 402,
    PLAN_JSON = 405,
    GRAPH_OPERATIONS = 801,
    GRAPH_ENGINE_COUNT = 802,
    ENGINE_GRAPH = 1300,
    ENGINE_INDEX = 1301,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Bytes of one element of an attribute's type: handles, pointers, 64-bit numbers, flags, and enums of four. */
static size_t width(int type) {
    switch (type) {
    case TYPE_BOOLEAN:
    case TYPE_CHAR: return 1;
    case 0:
    case TYPE_INT64:
    case 5:
    case 6:
    case TYPE_DESCRIPTOR:
    case TYPE_FRACTION: return 8;
    default: return 4;
    }
}

static void release(cudnnBackendDescriptor_t descriptor);

static void forget(SimAttribute *attribute) {
    if (attribute->type == TYPE_DESCRIPTOR)
        for (int64_t i = 0; i < attribute->count; i++) release(((cudnnBackendDescriptor_t *)attribute->values)[i]);
    free(attribute->values);
    free(attribute);
}

/* A child outlives its owner's handle while a parent still names it. */
static void release(cudnnBackendDescriptor_t descriptor) {
    if (!descriptor || --descriptor->references) return;
    for (SimAttribute *one = descriptor->attributes, *next; one; one = next) {
        next = one->next;
        forget(one);
    }
    free(descriptor);
}

const SimAttribute *sim_attribute(cudnnBackendDescriptor_t descriptor, int name) {
    const SimAttribute *found = descriptor ? descriptor->attributes : NULL;
    while (found && found->name != name) found = found->next;
    return found;
}

cudnnBackendDescriptor_t sim_child(cudnnBackendDescriptor_t descriptor, int name) {
    const SimAttribute *found = sim_attribute(descriptor, name);
    return found && found->type == TYPE_DESCRIPTOR && found->count ? *(cudnnBackendDescriptor_t *)found->values : NULL;
}

double sim_number(cudnnBackendDescriptor_t descriptor, int name, double fallback) {
    const SimAttribute *found = sim_attribute(descriptor, name);
    if (!found || !found->count) return fallback;
    if (found->type == TYPE_FLOAT) return *(float *)found->values;
    if (found->type == 5) return *(double *)found->values;
    return width(found->type) == 8 ? (double)*(int64_t *)found->values : *(int *)found->values;
}

static cudnnStatus_t set(cudnnBackendDescriptor_t descriptor, int name, int type, int64_t count, const void *values) {
    if (!descriptor || count < 0 || (count && !values)) return DNN_BAD_PARAM;
    SimAttribute *made = calloc(1, sizeof *made);
    void *copy = malloc((size_t)count * width(type) + 1);
    if (!made || !copy) return DNN_ALLOCATION_FAILED;
    if (count) memcpy(copy, values, (size_t)count * width(type));
    *made = (SimAttribute){name, type, count, copy, NULL};
    for (int64_t i = 0; type == TYPE_DESCRIPTOR && i < count; i++)
        if (((cudnnBackendDescriptor_t *)copy)[i]) ((cudnnBackendDescriptor_t *)copy)[i]->references++;
    SimAttribute **link = &descriptor->attributes;
    while (*link && (*link)->name != name) link = &(*link)->next;
    if (*link) {
        made->next = (*link)->next;
        forget(*link);
    }
    *link = made;
    return DNN_SUCCESS;
}

SIM_EXPORT cudnnStatus_t cudnnBackendCreateDescriptor(int kind, cudnnBackendDescriptor_t *descriptor) {
    SIM_ENTER();
    if (!descriptor) return DNN_BAD_PARAM;
    *descriptor = calloc(1, sizeof **descriptor);
    if (!*descriptor) return DNN_ALLOCATION_FAILED;
    **descriptor = (struct SimBackend){kind, 1, NULL};
    return DNN_SUCCESS;
}

SIM_EXPORT cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    SIM_ENTER();
    pthread_mutex_lock(&lock);
    release(descriptor);
    pthread_mutex_unlock(&lock);
    return DNN_SUCCESS;
}

SIM_EXPORT cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
    SIM_ENTER();
    return descriptor ? DNN_SUCCESS : DNN_BAD_PARAM;
}

SIM_EXPORT cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, int name, int type, int64_t count,
                                                  const void *values) {
    SIM_ENTER();
    pthread_mutex_lock(&lock);
    cudnnStatus_t answer = set(descriptor, name, type, count, values);
    pthread_mutex_unlock(&lock);
    return answer;
}

/* Answers that nobody set: one engine, which needs no workspace. The caller's own descriptors are filled in. */
static cudnnStatus_t derive(cudnnBackendDescriptor_t from, int name, int64_t room, int64_t *count, void *values) {
    static const char json[] = "{}";
    cudnnBackendDescriptor_t graph = sim_child(from, HEURISTIC_GRAPH), target = NULL, engine;
    *count = 1;
    if (!values || room < 1) return DNN_SUCCESS;
    switch (name) {
    case HEURISTIC_RESULTS:
        target = *(cudnnBackendDescriptor_t *)values;
        engine = calloc(1, sizeof *engine);
        if (!engine) return DNN_ALLOCATION_FAILED;
        engine->kind = ENGINE;
        set(engine, ENGINE_GRAPH, TYPE_DESCRIPTOR, 1, &graph);
        return set(target, CONFIG_ENGINE, TYPE_DESCRIPTOR, 1, &engine);
    case CONFIG_WORKSPACE:
    case PLAN_WORKSPACE:
    case ENGINE_INDEX: *(int64_t *)values = 0; return DNN_SUCCESS;
    case GRAPH_ENGINE_COUNT: *(int64_t *)values = 1; return DNN_SUCCESS;
    case PLAN_JSON:
        *count = sizeof json;
        if (room >= *count) memcpy(values, json, sizeof json);
        return DNN_SUCCESS;
    default: *count = 0; return DNN_SUCCESS;
    }
}

static void copy_into(cudnnBackendDescriptor_t to, cudnnBackendDescriptor_t from) {
    for (SimAttribute *one = from->attributes; one; one = one->next)
        set(to, one->name, one->type, one->count, one->values);
}

static cudnnStatus_t get(cudnnBackendDescriptor_t descriptor, int name, int64_t room, int64_t *count, void *values) {
    int64_t ignored;
    if (!descriptor) return DNN_BAD_PARAM;
    if (!count) count = &ignored;
    const SimAttribute *found = sim_attribute(descriptor, name);
    if (!found) return derive(descriptor, name, room, count, values);
    *count = found->count;
    int64_t taken = found->count < room ? found->count : room;
    if (!values || !taken) return DNN_SUCCESS;
    if (found->type != TYPE_DESCRIPTOR)
        memcpy(values, found->values, (size_t)taken * width(found->type));
    else
        for (int64_t i = 0; i < taken; i++)
            copy_into(((cudnnBackendDescriptor_t *)values)[i], ((cudnnBackendDescriptor_t *)found->values)[i]);
    return DNN_SUCCESS;
}

SIM_EXPORT cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, int name, int type, int64_t room,
                                                  int64_t *count, void *values) {
    SIM_ENTER();
    (void)type;
    pthread_mutex_lock(&lock);
    cudnnStatus_t answer = get(descriptor, name, room, count, values);
    pthread_mutex_unlock(&lock);
    return answer;
}

SIM_EXPORT cudnnStatus_t cudnnBackendExecute(void *handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
    SIM_ENTER();
    (void)handle;
    cudnnBackendDescriptor_t engine = sim_child(sim_child(plan, PLAN_CONFIG), CONFIG_ENGINE);
    const SimAttribute *operations = sim_attribute(sim_child(engine, ENGINE_GRAPH), GRAPH_OPERATIONS);
    for (int64_t i = 0; operations && i < operations->count; i++)
        if (!sim_convolution(((cudnnBackendDescriptor_t *)operations->values)[i], pack))
            sim_trace("stub", "cudnnBackendExecute:operation");
    return DNN_SUCCESS;
}
