#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the preset mingw needs on Debian 12 for x86-64: a cross-compiler for Windows, wine to run its programs, and
# Highway and GoogleTest, built from Debian's sources into build/mingw-packages.
# Needs root or a sudo that asks for no password for packages that are missing, and g++ for them.
set -euo pipefail
cd "$(dirname "$0")/.."

Testing/install-packages.sh g++-mingw-w64-x86-64-posix wine64 googletest dpkg-dev cmake ninja-build
installed=$PWD/build/mingw-packages
[ -e "$installed/complete" ] && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial"
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main" \
  >"$work/sources.list"
apt_get() {
  apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User= "$@"
}
apt_get update
(cd "$work" && apt_get source highway >/dev/null)

# build_package NAME SOURCE OPTION ...
build_package() {
  local name=$1 source=$2
  shift 2
  cmake -S "$source" -B "$work/$name" -G Ninja -Wno-dev --log-level=WARNING -DCMAKE_SYSTEM_NAME=Windows \
    -DCMAKE_SYSTEM_PROCESSOR=x86_64 -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix \
    -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$installed" "$@"
  cmake --build "$work/$name" --target install >/dev/null
}
build_package highway "$work"/highway-*/ -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_INSTALL=ON \
  -DBUILD_TESTING=OFF
build_package googletest /usr/src/googletest -DBUILD_GMOCK=OFF
touch "$installed/complete"
