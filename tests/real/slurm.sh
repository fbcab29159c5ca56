#!/bin/bash
# A Slurm of one controller and COUNT slurmd in namespaces of its own, over an overlay of this machine's root: nothing stays.
# slurm.sh DEBS COUNT CONF (more lines of slurm.conf): writes "ready" and the pid whose namespaces commands enter (nsenter), then runs until it is killed.
set -euo pipefail
debs=$1 count=$2 conf=$3
top=$(mktemp -d)
mount -t tmpfs tmpfs "$top"
mkdir "$top/upper" "$top/work" "$top/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$top/upper,workdir=$top/work" "$top/root"
mount --bind "$debs" "$top/root/mnt"
mount -t proc proc "$top/root/proc"
mount --rbind /dev "$top/root/dev"
mount --rbind /sys "$top/root/sys"
mount --bind /tmp "$top/root/tmp"
ip link set lo up
ip addr add 10.99.0.1/32 dev lo
printf '#!/bin/sh\nexit 101\n' >"$top/root/usr/sbin/policy-rc.d"
chmod +x "$top/root/usr/sbin/policy-rc.d"
DEBIAN_FRONTEND=noninteractive chroot "$top/root" sh -c 'dpkg --force-depends --force-unsafe-io -i /mnt/*.deb' >"$top/dpkg.log" 2>&1 || { cat "$top/dpkg.log" >&2; exit 1; }
host=$(uname -n)
{
  cat <<END
ClusterName=test
SlurmctldHost=$host(10.99.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SlurmdTimeout=10
ReturnToService=2
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd.%n
SlurmdPidFile=/run/slurmd.%n.pid
SlurmdLogFile=/var/log/slurmd.%n.log
SlurmctldLogFile=/var/log/slurmctld.log
MpiDefault=none
KillWait=5
$conf
END
  for ((n = 1; n <= count; n++)); do echo "NodeName=n$n NodeHostname=$host NodeAddr=10.99.0.1 Port=$((17000 + n)) CPUs=2"; done
  echo "PartitionName=all Nodes=n[1-$count] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO"
} >"$top/root/etc/slurm/slurm.conf"
mkdir -p "$top/root/var/spool/slurmctld" "$top/root/run/munge"
chroot "$top/root" sh -c 'chown munge: /run/munge /etc/munge /etc/munge/munge.key /var/lib/munge /var/log/munge; runuser -u munge -- munged; slurmctld'
for ((n = 1; n <= count; n++)); do mkdir -p "$top/root/var/spool/slurmd.n$n"; chroot "$top/root" slurmd -N "n$n" || { cat "$top/root/var/log/slurmd.n$n.log" "$top/root/var/log/slurmctld.log" >&2; exit 1; }; done
chroot "$top/root" sleep infinity &
echo ready
wait
