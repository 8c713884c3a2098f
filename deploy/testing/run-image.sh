#!/bin/sh
# Runs a command as a container runtime would: run-image.sh ROOT UID DIRECTORY COMMAND…
# ROOT is the root file system, with what this machine's libraries need added, and read-only; no capability and no new privilege.
# Takes root, in a mount namespace of its own: unshare --mount.
set -eu
root=$1 uid=$2 directory=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root/usr" "$root/proc" "$root/dev"
for name in bin lib lib64; do
  if [ -L "/$name" ]; then ln -sfn "$(readlink "/$name")" "$root/$name"
  elif [ -d "/$name" ]; then mkdir -p "$root/$name"; mount --bind "/$name" "$root/$name"; fi
done
mount --bind /usr "$root/usr"
mount --bind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mount -o remount,bind,ro "$root"
mount -o remount,bind,ro "$root/usr"
exec chroot "$root" sh -c 'cd "$1" && shift && exec setpriv "$@"' sh "$directory" \
  --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
