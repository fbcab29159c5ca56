/* Obeys the scenario's faults: errors, hangs, crashes, and devices that stay broken. */
#define _GNU_SOURCE
#include "sim.h"
#include <fcntl.h>
#include <ctype.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int poison;

void sim_trace(const char *kind, const char *text) {
    static int file = -2;
    if (file == -2) {
        const char *path = getenv("TFSIM_TRACE");
        file = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
    }
    if (file < 0) return;
    char line[512];
    int length = snprintf(line, sizeof line, "%d %s %s\n", (int)getpid(), kind, text);
    if (write(file, line, (size_t)(length < (int)sizeof line ? length : (int)sizeof line - 1)) < 0) file = -1;
}

static void tripped_path(char *path, size_t size) {
    snprintf(path, size, "%.4000s.tripped", sim_scenario()->path);
}

int sim_tripped(void) {
    char path[4096];
    tripped_path(path, sizeof path);
    return access(path, F_OK) == 0;
}

int sim_gpu_lost(const SimGpu *gpu) { return gpu->lost || sim_tripped(); }

static void trip(void) {
    char path[4096];
    tripped_path(path, sizeof path);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) close(file);
}

int sim_poisoned(int *code) {
    *code = poison;
    return poison != 0;
}

void sim_poison(int code) { poison = code; }

static void wait_for_ever(int deaf) {
    sigset_t all;
    sigfillset(&all);
    if (deaf) sigprocmask(SIG_BLOCK, &all, NULL);
    for (;;) pause();
}

static void crash(int number) {
    if (number == SIGABRT) abort();
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

static void wait_seconds(double seconds) {
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left)) {}
}

/* Megabytes of nonsense on stderr, as a driver's debug build or a chatty wrapper writes it. */
static void flood(double megabytes) {
    char line[1025];
    memset(line, 'x', 1024);
    line[1023] = '\n';
    for (long i = 0; i < (long)(megabytes * 1024); i++)
        if (write(2, line, 1024) < 0) return;
}

/* Does what the fault says; returns the error code to answer, 0 to go on. */
static int obey(const SimFault *fault) {
    if (fault->trip) trip();
    switch (fault->action) {
    case SIM_HANG: wait_for_ever(0); break;
    case SIM_DEAF: wait_for_ever(1); break;
    case SIM_CRASH: crash((int)fault->argument); break;
    case SIM_EXIT: _exit((int)fault->argument);
    case SIM_SLOW: wait_seconds(fault->argument); break;
    case SIM_FLOOD: flood(fault->argument); break;
    case SIM_ERROR:
        if (fault->sticky) sim_poison((int)fault->argument);
        return (int)fault->argument;
    }
    return 0;
}

static int fires(SimFault *fault, const char *function) {
    if (fnmatch(fault->pattern, function, 0)) return 0;
    pthread_mutex_lock(&lock);
    long long call = ++fault->calls;
    pthread_mutex_unlock(&lock);
    return call >= fault->first && call <= fault->last;
}

/* As NVIDIA's driver: a process that was forked after cuInit can't use it. Names of errors it may still ask for. */
static int forked(const char *function) {
    static pid_t begun;
    if (strncmp(function, "cu", 2) || !isupper((unsigned char)function[2])) return 0; /* another library's */
    if (!begun && !strcmp(function, "cuInit")) begun = getpid();
    return begun && begun != getpid() && strncmp(function, "cuGet", 5) && strcmp(function, "cuDriverGetVersion");
}

int sim_enter(const char *function) {
    SimScenario *scenario = sim_scenario();
    sim_trace("call", function);
    if (forked(function)) return 3; /* CUDA_ERROR_NOT_INITIALIZED */
    for (int i = 0; i < scenario->fault_count; i++) {
        if (!fires(&scenario->fault[i], function)) continue;
        int code = obey(&scenario->fault[i]);
        if (code) return code;
    }
    return 0;
}
