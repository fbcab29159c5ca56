#!/bin/sh
# Prolog of slurm.conf: no job starts on a node whose GPU driver or devices are faulty. The node is drained with the reason
# that healthcheck.sh writes, so that this resumes it when it is healthy again. A batch job is requeued, and runs on
# another node two minutes later; without SchedulerParameters=nohold_on_prolog_fail Slurm holds it.
exec /bin/sh "$(dirname "$0")/healthcheck.sh" --fail
