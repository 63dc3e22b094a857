#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the preset mingw needs on Debian 12 for x86-64: a cross-compiler for Windows, wine to run its programs, and the
# libraries of the command, built from Debian's sources into build/mingw-packages. A library is built again if this script
# or the compiler has changed; the versions are in build/mingw-packages/complete.
# Needs root or a sudo that asks for no password for packages that are missing, and g++ for them.
set -euo pipefail
cd "$(dirname "$0")/.."

Testing/install-packages.sh g++-mingw-w64-x86-64-posix wine64 googletest dpkg-dev cmake ninja-build nasm libz-mingw-w64-dev \
  libcli11-dev nlohmann-json3-dev libtomlplusplus-dev
installed=$PWD/build/mingw-packages
ready="libz-mingw-w64-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev googletest"
# shellcheck disable=SC2086
key=$({ sha256sum <"$0"; dpkg-query -W g++-mingw-w64-x86-64-posix $ready; } | sha256sum)
[ "$(head -n 1 "$installed/complete" 2>/dev/null)" = "$key" ] && exit 0
rm -rf "$installed"
mkdir -p "$installed"

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
(cd "$work" && apt_get source highway libjpeg-turbo libpng1.6 tiff libisal libxlsxwriter hdf5 gdcm lz4 libzstd c-blosc >/dev/null 2>"$work/log") ||
  { cat "$work/log" >&2; exit 1; }

# build_package SOURCE OPTION ...: a static library. Programs that CMake runs write files where it was started.
build_package() {
  local source=$1 name=${1//\//-}
  name=$work/build$name
  shift
  (mkdir -p "$name" && cd "$name" && cmake -S "$source" -B . -G Ninja -Wno-dev --log-level=WARNING -DCMAKE_SYSTEM_NAME=Windows \
    -DCMAKE_SYSTEM_PROCESSOR=x86_64 -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix \
    -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix -DCMAKE_RC_COMPILER=x86_64-w64-mingw32-windres \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$installed" -DCMAKE_FIND_ROOT_PATH="$installed" \
    -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY \
    "$@" && cmake --build . --target install) >"$work/log" 2>&1 || { tail -n 50 "$work/log" >&2; exit 1; }
}
build_package "$work"/highway-*/ -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_INSTALL=ON -DBUILD_TESTING=OFF
build_package /usr/src/googletest -DBUILD_GMOCK=OFF
cp /usr/x86_64-w64-mingw32/lib/libz.a "$installed/lib"
cp /usr/x86_64-w64-mingw32/include/z{lib,conf}.h "$installed/include"
build_package "$work"/libjpeg-turbo-*/ -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF
build_package "$work"/libpng1.6-*/ -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_EXECUTABLES=OFF
build_package "$work"/lz4-*/build/cmake -DLZ4_BUILD_CLI=OFF -DLZ4_BUILD_LEGACY_LZ4C=OFF -DBUILD_STATIC_LIBS=ON
build_package "$work"/libzstd-*/build/cmake -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF
# Its own threads have the names of the compiler's.
echo '#include <pthread.h>' >"$(echo "$work"/c-blosc-*/blosc/win32)/pthread.h"
: >"$(echo "$work"/c-blosc-*/blosc/win32)/pthread.c"
build_package "$work"/c-blosc-*/ -DBUILD_SHARED=OFF -DBUILD_TESTS=OFF -DBUILD_FUZZERS=OFF -DBUILD_BENCHMARKS=OFF -DPREFER_EXTERNAL_LZ4=ON \
  -DPREFER_EXTERNAL_ZLIB=ON -DPREFER_EXTERNAL_ZSTD=ON -DDEACTIVATE_SNAPPY=ON -DCMAKE_C_FLAGS=-mxsave
build_package "$work"/tiff-*/ -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF -Dcxx=OFF -Dlzma=OFF \
  -Dwebp=OFF -Dlerc=OFF -Djbig=OFF -Dlibdeflate=OFF
build_package "$work"/libxlsxwriter-*/
# HDF5 runs programs to learn about the system. This header is of other systems.
export WINEPREFIX=$PWD/build/mingw/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
mkdir -p "$WINEPREFIX"
sed -i '/<sys\/wait.h>/d' "$work"/hdf5-*/src/H5private.h
build_package "$work"/hdf5-*/ -DCMAKE_CROSSCOMPILING_EMULATOR=/usr/lib/wine/wine64 -DHDF5_ENABLE_Z_LIB_SUPPORT=ON \
  -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_UTILS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DBUILD_TESTING=OFF \
  -DHDF5_DISABLE_COMPILER_WARNINGS=ON
# Damaged JPEG data are an error, not a warning on standard error, which nobody there looks at (DicomChild.cxx).
sed -i 's/#ifndef _MSC_VER/#ifndef _WIN32/' "$work"/gdcm-*/Utilities/gdcmext/mec_mr3_io.c
sed -i '/err->num_warnings == 0/,+1c (*err->error_exit)(cinfo);' "$work"/gdcm-*/Utilities/gdcmjpeg/jerror.c
build_package "$work"/gdcm-*/ -DGDCM_BUILD_DOCBOOK_MANPAGES=OFF
(
  cd "$work"/libisal-*/
  make -j "$(nproc)" -f Makefile.unx arch=mingw host_cpu=x86_64 units="crc igzip" CC=x86_64-w64-mingw32-gcc-posix \
    AR=x86_64-w64-mingw32-ar AS=nasm bin/isa-l.a >"$work/log" 2>&1 || { tail -n 50 "$work/log" >&2; exit 1; }
  mkdir -p "$installed/include/isa-l"
  cp bin/isa-l.a "$installed/lib/libisal.a"
  cp include/*.h "$installed/include/isa-l"
)
# Headers that are the same on every system, with what CMake finds them by.
for name in CLI nlohmann toml++; do
  cp -r "/usr/include/$name" "$installed/include"
done
mkdir -p "$installed/share/cmake"
cp -r /usr/share/cmake/CLI11 /usr/share/cmake/nlohmann_json "$installed/share/cmake"
# The licenses of what a program contains (Source/make-windows-zip.sh).
mkdir -p "$installed/licenses"
for source in "$work"/*/debian; do
  folder=$(dirname "$source")
  cp "$source/copyright" "$installed/licenses/$(basename "${folder%-*}")"
done
for package in libz-mingw-w64-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev gcc-mingw-w64-base mingw-w64-common; do
  cp -L "/usr/share/doc/$package/copyright" "$installed/licenses/$package"
done
{
  echo "$key"
  (cd "$work" && ls -- *.dsc)
} >"$installed/complete"
