#!/bin/sh
# HealthCheckProgram of slurm.conf: drains a node whose GPU driver or devices are faulty, and resumes what it drained itself.
# Only `healthcheck --node` is asked, so a user's broken environment drains nothing; neither does an answer that is unknown.
# An administrator's drain, and a node that is down, stay as they are.
PATH="${PATH:+$PATH:}/usr/sbin:/usr/bin:/sbin:/bin" # newer versions of Slurm set none
export PATH
doctor=${TFDOCTOR:-/opt/tfdoctor/bin/tfdoctor}
prefix="tfdoctor: "
node=${SLURMD_NODENAME:-$(uname -n | cut -d. -f1)}

said=$("$doctor" healthcheck --node --timeout 10 2>/dev/null | head -n 1 | cut -c 1-80)
known=$(sinfo -h -N -n "$node" -o '%T|%E' | head -n 1)
state=${known%%|*} reason=${known#*|}

case $said in
unhealthy:*)
  case $state in
  drain* | down* | fail* | "") ;;
  *) scontrol update "nodename=$node" state=drain "reason=$prefix$said" ;;
  esac
  [ "$1" = --fail ] && exit 1 # the Prolog's wish: the job goes elsewhere
  ;;
healthy:*)
  case $state in
  drain*) case $reason in "$prefix"*) scontrol update "nodename=$node" state=resume ;; esac ;;
  esac
  ;;
esac
exit 0
