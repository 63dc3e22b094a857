#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies into a folder the shared libraries that programs need beyond the C library, which must be the machine's own, since
# it belongs to its loader.
#   [BUNDLED=FOLDER] copy-libraries.sh FOLDER PROGRAM ...
# Libraries in BUNDLED go before the machine's; HDF5, which programs load when they need it, comes along (Files/CMakeLists.txt).
set -euo pipefail
folder=$1
shift
mkdir -p "$folder"
if [ -n "${BUNDLED:-}" ]; then
  export LD_LIBRARY_PATH=$BUNDLED
  cp "$BUNDLED"/libhdf5* "$folder"
  set -- "$@" "$BUNDLED"/libhdf5*
fi
for program in "$@"; do
  ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libpthread|libdl|librt|libresolv|ld-linux[^/]*)\.so' || true
done | sort -u | xargs -r cp -Lt "$folder"
find "$folder" -type f -name '*.so*' -exec strip --strip-unneeded {} +
