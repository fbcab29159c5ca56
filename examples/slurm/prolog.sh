#!/bin/sh
# Prolog of slurm.conf: no job starts on a node whose GPU driver or devices are faulty. The node is drained with the reason
# that healthcheck.sh writes, so that this resumes it when it is healthy again; the job is queued anew.
exec /bin/sh "$(dirname "$0")/healthcheck.sh" --fail
