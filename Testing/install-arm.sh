#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the preset aarch64 needs on Debian 12 for x86-64: a cross-compiler, an emulator, and the libraries for ARM. The
# wheel for ARM (Wrapping/Python/aarch64.cmake) takes its libraries from a Debian 12 for ARM in build/aarch64-packages.
# Needs root or a sudo that asks for no password.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
dpkg --print-foreign-architectures | grep -qx arm64 || "${as_root[@]}" dpkg --add-architecture arm64
Testing/install-packages.sh g++-12-aarch64-linux-gnu qemu-user libhwy-dev:arm64 libgtest-dev:arm64 debootstrap qemu-user-static

packages=build/aarch64-packages
[ "$(cat "$packages/complete" 2>/dev/null)" != "$(sha256sum <Testing/install-arm.sh)" ] || exit 0
"${as_root[@]}" rm -rf "$packages"
mkdir -p build
# To be linked with and to run a Python in the emulator, it needs no more than to be unpacked.
"${as_root[@]}" debootstrap --foreign --arch=arm64 --variant=minbase --include=libhwy-dev,libtiff-dev,libpng-dev,libjpeg-dev,\
zlib1g-dev,libblosc-dev,liblz4-dev,libzstd-dev,libhdf5-dev,libisal-dev,libgdcm-dev,libcli11-dev,libxlsxwriter-dev,\
nlohmann-json3-dev,libtomlplusplus-dev,libssl-dev,python3-dev,libstdc++-12-dev \
  bookworm "$packages" http://deb.debian.org/debian >build/aarch64-packages.log ||
  { tail -n 3 build/aarch64-packages.log >&2; exit 1; }
for package in "$packages"/var/cache/apt/archives/*.deb; do
  dpkg --fsys-tarfile "$package" | "${as_root[@]}" tar -x --keep-directory-symlink -C "$packages"
done
find "$packages/usr/lib" -type l -lname '/*' -printf '%P %l\n' | while read -r link target; do
  "${as_root[@]}" ln -srf "$packages$target" "$packages/usr/lib/$link"
done
sha256sum <Testing/install-arm.sh | "${as_root[@]}" tee "$packages/complete" >/dev/null
