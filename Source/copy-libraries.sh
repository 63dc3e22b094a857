#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies into a folder the shared libraries that programs need beyond the C library, which must be the machine's own, since
# it belongs to its loader.
#   copy-libraries.sh FOLDER PROGRAM ...
set -euo pipefail
folder=$1
shift
mkdir -p "$folder"
for program in "$@"; do
  ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libpthread|libdl|librt|libresolv|ld-linux[^/]*)\.so' || true
done | sort -u | xargs -r cp -Lt "$folder"
find "$folder" -type f -name '*.so*' -exec strip --strip-unneeded {} +
