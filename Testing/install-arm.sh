#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the preset aarch64 needs on Debian 12 for x86-64: a cross-compiler, an emulator, and the libraries for ARM.
# Needs root or a sudo that asks for no password.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
dpkg --print-foreign-architectures | grep -qx arm64 || "${as_root[@]}" dpkg --add-architecture arm64
Testing/install-packages.sh g++-12-aarch64-linux-gnu qemu-user libhwy-dev:arm64 libgtest-dev:arm64
