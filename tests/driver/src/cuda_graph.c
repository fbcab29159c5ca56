/* libcuda: graphs, as XLA uses them. They are built, counted and launched, and do nothing: what would run in them
 * are kernels that do nothing either. What a library computes while its stream is captured is computed at once. */
#include "sim_cuda.h"
#include <stdlib.h>

typedef struct SimGraph {
    size_t nodes;
} *CUgraph;
typedef struct SimNode {
    CUgraph graph, child;
} *CUgraphNode;

static CUresult create(CUgraph *graph) {
    if (!graph) return INVALID_VALUE;
    *graph = calloc(1, sizeof **graph);
    return *graph ? CUDA_SUCCESS : OUT_OF_MEMORY;
}

static CUresult add(CUgraphNode *node, CUgraph graph, CUgraph child) {
    if (!node || !graph) return INVALID_VALUE;
    *node = calloc(1, sizeof **node);
    if (!*node) return OUT_OF_MEMORY;
    **node = (struct SimNode){graph, child};
    graph->nodes++;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    return create(graph);
}

SIM_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
    SIM_ENTER();
    SIM_CONTEXT();
    free(graph);
    return CUDA_SUCCESS;
}

/* A node of any kind: what it would do is not kept. */
#define SIM_NODE(name)                                                                                          \
    SIM_EXPORT CUresult name(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,           \
                             const void *what) {                                                               \
        SIM_ENTER();                                                                                            \
        SIM_CONTEXT();                                                                                          \
        (void)after, (void)count, (void)what;                                                                   \
        return add(node, graph, NULL);                                                                          \
    }

SIM_NODE(cuGraphAddKernelNode)
SIM_NODE(cuGraphAddKernelNode_v2)
SIM_NODE(cuGraphAddMemcpyNode)
SIM_NODE(cuGraphAddMemsetNode)
SIM_NODE(cuGraphAddHostNode)
SIM_NODE(cuGraphAddEmptyNode)

SIM_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                             CUgraph child) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)after, (void)count;
    return add(node, graph, child);
}

SIM_EXPORT CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!node || !child) return INVALID_VALUE;
    *child = node->child;
    return CUDA_SUCCESS;
}

/* Only how many there are; the nodes themselves are not listed. */
SIM_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!graph || !count || nodes) return nodes ? NOT_SUPPORTED : INVALID_VALUE;
    *count = graph->nodes;
    return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphInstantiate(CUgraph *executable, CUgraph graph, uint64_t flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    return graph ? create(executable) : INVALID_VALUE;
}

SIM_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraph *executable, CUgraph graph, uint64_t flags) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)flags;
    return graph ? create(executable) : INVALID_VALUE;
}

/* One operation on an instantiated graph that always goes well. */
#define SIM_ALLOW(signature, handle)                       \
    SIM_EXPORT CUresult signature {                        \
        SIM_ENTER();                                       \
        SIM_CONTEXT();                                     \
        return (handle) ? CUDA_SUCCESS : INVALID_HANDLE;   \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SIM_ALLOW(cuGraphLaunch(CUgraph executable, CUstream stream), executable)
SIM_ALLOW(cuGraphUpload(CUgraph executable, CUstream stream), executable)
SIM_ALLOW(cuGraphExecUpdate(CUgraph executable, CUgraph graph, void *info), executable)
SIM_ALLOW(cuGraphExecUpdate_v2(CUgraph executable, CUgraph graph, void *info), executable)
SIM_ALLOW(cuGraphExecKernelNodeSetParams(CUgraph executable, CUgraphNode node, const void *what), executable)
SIM_ALLOW(cuGraphExecKernelNodeSetParams_v2(CUgraph executable, CUgraphNode node, const void *what), executable)
SIM_ALLOW(cuGraphExecMemcpyNodeSetParams(CUgraph executable, CUgraphNode node, const void *what, void *context),
          executable)
SIM_ALLOW(cuGraphExecMemsetNodeSetParams(CUgraph executable, CUgraphNode node, const void *what, void *context),
          executable)
SIM_ALLOW(cuGraphExecChildGraphNodeSetParams(CUgraph executable, CUgraphNode node, CUgraph child), executable)
SIM_ALLOW(cuGraphNodeSetEnabled(CUgraph executable, CUgraphNode node, unsigned enabled), executable)
SIM_ALLOW(cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void *value), node)
SIM_ALLOW(cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from), to)
#pragma GCC diagnostic pop

SIM_EXPORT CUresult cuGraphExecDestroy(CUgraph executable) {
    SIM_ENTER();
    SIM_CONTEXT();
    free(executable);
    return CUDA_SUCCESS;
}

/* A captured stream: its work is done as it comes, and stands in the graph as one node. */
SIM_EXPORT CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                                const void *edges, size_t count, int mode) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)after, (void)edges, (void)count, (void)mode;
    if (!graph) return INVALID_VALUE;
    graph->nodes++;
    return sim_stream_capture(stream, graph) ? CUDA_SUCCESS : INVALID_VALUE;
}

SIM_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
    SIM_ENTER();
    SIM_CONTEXT();
    (void)mode;
    CUgraph graph;
    CUresult answer = create(&graph);
    if (answer) return answer;
    graph->nodes++;
    return sim_stream_capture(stream, graph) ? CUDA_SUCCESS : INVALID_VALUE;
}

SIM_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
    SIM_ENTER();
    SIM_CONTEXT();
    if (!graph) return INVALID_VALUE;
    *graph = sim_stream_captured(stream);
    return sim_stream_capture(stream, NULL) && *graph ? CUDA_SUCCESS : 401; /* illegal state: was not capturing */
}

SIM_EXPORT CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
    SIM_ENTER();
    return mode ? CUDA_SUCCESS : INVALID_VALUE;
}
