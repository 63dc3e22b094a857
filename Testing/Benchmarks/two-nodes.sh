#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program in an emulated machine with two nodes of a processor and 1 GiB of memory each (qemu, no KVM needed):
#   Testing/Benchmarks/two-nodes.sh build/release/bin/brickccl-memory-nodes [ARGUMENT ...]
# Shows where memory and threads are; tells nothing of speed. Debian 12; installs what is missing.
set -euo pipefail
program=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
"$here/../install-packages.sh" qemu-system-x86 busybox-static cpio

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
kernel=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ { print $2; exit }')
apt-get download -qq -o APT::Sandbox::User=root "$kernel"
dpkg -x "$kernel"_*.deb kernel

# A system with the program and its libraries alone.
mkdir -p root/bin root/proc root/sys
cp /usr/bin/busybox root/bin/
cp "$program" root/bin/program
for library in $(ldd "$program" | grep -o '/[^ ]*'); do
  mkdir -p "root$(dirname "$library")"
  cp -L "$library" "root$library"
done
cat >root/init <<INIT
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
# Pages stay where they were put first.
echo 0 >/proc/sys/kernel/numa_balancing
/bin/program $(printf '%q ' "$@")
/bin/busybox poweroff -f
INIT
chmod +x root/init
(cd root && find . | cpio --quiet -o -H newc | gzip -1) >system.gz

timeout 600 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 2G -smp 2 \
  -object memory-backend-ram,size=1G,id=m0 -object memory-backend-ram,size=1G,id=m1 \
  -numa node,nodeid=0,memdev=m0,cpus=0 -numa node,nodeid=1,memdev=m1,cpus=1 \
  -kernel kernel/boot/vmlinuz-* -initrd system.gz -append "console=ttyS0 quiet panic=-1" -nographic -no-reboot |
  tr -d '\r' >console
grep -q '^threads' console || { cat console >&2; echo "the program did not come to its end" >&2; exit 1; }
sed -n 's/.*[^0-9]\([0-9]* components\)/\1/; /components/,/^threads/p' console
