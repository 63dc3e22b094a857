#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the build and the tests need and what is missing, on Debian 12 and Ubuntu 24.04 (or later ones).
# Needs root or a sudo that asks for no password; otherwise says what to install.
#   Testing/install-packages.sh --quick            what the preset quick needs
#   Testing/install-packages.sh [PACKAGE ...]      these instead
set -euo pipefail

packages=(build-essential cmake ninja-build ccache libhwy-dev libtiff-dev libpng-dev libjpeg-dev zlib1g-dev libhdf5-dev
          libisal-dev libgdcm-dev libblosc-dev liblz4-dev libzstd-dev libcli11-dev libxlsxwriter-dev nlohmann-json3-dev libtomlplusplus-dev libssl-dev)
if [ "${1:-}" != --quick ]; then
  packages+=(python3 python3-dev python3-venv libinsighttoolkit5-dev libvtk9-dev libpugixml-dev libgtest-dev libbenchmark-dev valgrind
             doxygen xvfb xauth libgl1-mesa-dri libegl1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0
             libxcb-xinerama0 libxcb-image0 libxcb-render-util0 libdbus-1-3 libfontconfig1)
  # The report's pages are tested in Chromium, which Ubuntu has as a snap alone; without it these tests are skipped.
  grep -qs '^ID=debian' /etc/os-release && packages+=(chromium)
  [ $# -eq 0 ] || packages=("$@")
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -n true 2>/dev/null; then
    echo "These packages are missing and cannot be installed without root: ${missing[*]}" >&2
    echo "Run: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo -n)
fi
echo "installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
