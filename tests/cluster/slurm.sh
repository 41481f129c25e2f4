#!/bin/bash
# A cluster of four nodes on this machine: slurm.sh SCRIPT. To be run as root in network, process and mount
# namespaces of its own, so that nothing listens outside and all of it ends with this shell. Submits the
# script, kills a node that is playing, and returns when no job is left. Says what it does on stdout.
set -eu
script=$1
state=$(mktemp -d /tmp/quilt-slurm.XXXXXX)
# What the daemons have to say is in their logs alone.
trap 'status=$?; [ $status = 0 ] || tail -n 5 "$state"/slurmd-*.log "$state"/save/*.log >&2 || true; rm -rf "$state"' EXIT
chmod 755 "$state"
node=$(uname -n)

# Slurm asks for addresses other than loopback before it resolves any.
ip link set lo up
ip link add quilt0 type veth peer name quilt1
ip addr add 10.9.9.1/24 dev quilt0
ip link set quilt0 up

# What the daemons would write elsewhere stays in this mount namespace.
for folder in /run /var/log /etc/munge /etc/slurm /var/lib/munge; do
    mkdir -p "$folder" && mount -t tmpfs none "$folder"
done
grep -qw "$node" /etc/hosts || {
    cp /etc/hosts "$state/hosts"
    echo "127.0.0.1 $node" >>"$state/hosts"
    mount --bind "$state/hosts" /etc/hosts
}

# munged runs as its own user, who owns what it reads and writes.
install -d -o munge -g munge -m 755 /run/munge
install -d -o munge -g munge -m 700 /var/log/munge /var/lib/munge /etc/munge
head -c 128 /dev/urandom >/etc/munge/munge.key
chown munge:munge /etc/munge/munge.key && chmod 400 /etc/munge/munge.key
setpriv --reuid=munge --regid=munge --clear-groups munged
munge -n | unmunge >/dev/null

mkdir "$state/save" "$state/spool"
chown slurm "$state/save"
cat >/etc/slurm/slurm.conf <<CONF
ClusterName=quilt
SlurmctldHost=$node(127.0.0.1)
SlurmUser=slurm
AuthType=auth/munge
StateSaveLocation=$state/save
SlurmdSpoolDir=$state/spool/%n
SlurmctldPidFile=$state/save/slurmctld.pid
SlurmdPidFile=$state/slurmd-%n.pid
SlurmctldLogFile=$state/save/slurmctld.log
SlurmdLogFile=$state/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=1,sched_interval=2,bf_interval=2
SlurmdTimeout=5
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=n[1-4] NodeHostname=$node NodeAddr=127.0.0.1 Port=[7001-7004] CPUs=1 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=n[1-4] Default=YES MaxTime=10 State=UP
CONF
slurmctld
for number in 1 2 3 4; do slurmd -N "n$number"; done
until [ "$(sinfo -h -t idle -o %D)" = 4 ]; do sleep 0.1; done

# The processes of the jobs on a node.
of_node() {
    grep -lzx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 || true
}

# Stops what a node does, so that nothing ends any more; whether arenas are among it.
stop_node() {
    jobs=$(of_node "$1")
    [ -n "$jobs" ] || return 1
    # shellcheck disable=SC2086 # one word a process
    kill -STOP $jobs 2>/dev/null || true
    players=$(for pid in $jobs; do readlink "/proc/$pid/exe" || true; done | grep -c /arena$) && return 0
    # shellcheck disable=SC2086
    kill -CONT $jobs 2>/dev/null || true
    return 1
}

# All of it at once: first those who would tell of the others' death.
kill_node() {
    kill -9 "$(cat "$state/slurmd-$1.pid")"
    for pid in $jobs; do
        ps -o ppid= -p "$pid"
    done | sort -u | while read -r parent; do
        [ "$(cat "/proc/$parent/comm")" = slurmstepd ] && kill -9 "$parent"
    done || true
    for pid in $jobs; do kill -9 "$pid" 2>/dev/null || true; done
}

job=$(sbatch --parsable "$script")
echo "job $job"
# A node is killed while an arena on it plays.
until stop_node n1; do
    [ -n "$(squeue -h -j "$job")" ] || { echo "all done before the node was killed"; exit 1; }
    sleep 0.05
done
kill_node n1
echo "killed n1 with $players processes of the arena"

# Its job is put back once the node is found to be down, and then would wait two minutes.
while [ -n "$(squeue -h -j "$job")" ]; do
    for held in $(squeue -h -j "$job" -t PD -r -o '%i %r' | awk '/BeginTime/ { print $1 }'); do
        scontrol update "jobid=$held" StartTime=now && echo "put back $held"
    done
    sleep 1
done
sinfo -h -N -o '%N %t'
