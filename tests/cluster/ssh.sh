#!/bin/bash
# Two hosts on this machine, an sshd each: ssh.sh SCRIPT. To be run as root in network, process and mount
# namespaces of its own, so that nothing listens outside and all of it ends with this shell. Runs the script
# over them and kills one that is playing. Ends with the status of the script; says what it does on stdout.
set -eu
script=$1
state=$(mktemp -d /tmp/quilt-ssh.XXXXXX)
trap 'rm -rf "$state"' EXIT

ip link set lo up
mount -t tmpfs none /run
mkdir -m 755 /run/sshd
export HOME=$state # of parallel's own files

ssh-keygen -q -t ed25519 -N '' -f "$state/key"
port=2200
for host in one two; do
    port=$((port + 1))
    ssh-keygen -q -t ed25519 -N '' -f "$state/$host"
    cat >"$state/$host.conf" <<CONF
ListenAddress 127.0.0.1
Port $port
HostKey $state/$host
PidFile $state/$host.pid
AuthorizedKeysFile $state/key.pub
PermitRootLogin yes
StrictModes no
UsePAM no
CONF
    cat >>"$state/ssh.conf" <<CONF
Host $host
    HostName 127.0.0.1
    Port $port
    User root
    IdentityFile $state/key
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
CONF
    "$(command -v sshd || echo /usr/sbin/sshd)" -f "$state/$host.conf"
    until ssh -F "$state/ssh.conf" "$host" true; do sleep 0.1; done
    echo "1/ssh -F $state/ssh.conf $host" >>"$state/hosts"
done

# A process and all that come from it.
tree_of() {
    local child
    echo "$1"
    for child in $(ps -o pid= --ppid "$1"); do tree_of "$child"; done
}

# Those of a host that play.
players_on() {
    local pid
    for pid in $(tree_of "$(cat "$state/$1.pid")"); do
        [ "$(basename "$(readlink "/proc/$pid/exe")" 2>/dev/null)" != arena ] || echo "$pid"
    done
}

bash "$script" --sshloginfile "$state/hosts" &
run=$!
until [ -n "$(players_on two)" ]; do
    kill -0 "$run" 2>/dev/null || { echo "all done before the host was killed"; exit 1; }
    sleep 0.02
done
players=$(players_on two)
# shellcheck disable=SC2046,SC2086 # a word each
kill -9 $(tree_of "$(cat "$state/two.pid")") $players 2>/dev/null || true
echo "killed two with $(echo "$players" | wc -l) processes of the arena"
wait "$run"
