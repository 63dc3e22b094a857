#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies into a folder the license texts of the libraries that programs contain or load, since who passes libraries on passes on
# their licenses. Debian and Ubuntu keep them with their packages; elsewhere the folder stays empty.
#   copy-notices.sh FOLDER PROGRAM ...
# For another processor BRICKCCL_LINKER is the command that runs its system's dynamic linker; the same packages are here.
set -euo pipefail
folder=$1
shift
mkdir -p "$folder"
command -v dpkg-query >/dev/null || exit 0
needed() {
  [ -n "${BRICKCCL_LINKER:-}" ] || { ldd "$@"; return; }
  local program
  for program in "$@"; do
    # shellcheck disable=SC2086
    $BRICKCCL_LINKER --list "$program"
  done
}
names=$(needed "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'; printf '%s\n' "$@")
names=$(sed -n 's,.*/\([^/]*\.so.*\),\1,p' <<<"$names" | sort -u)
# Where the machine has them; packages name files as they were before /lib became a link to /usr/lib, or after.
mapfile -t paths < <(/sbin/ldconfig -p |
  awk 'NR == FNR { is[$1] = 1; next } is[$1] && !/libx?32\// { print $NF; print "/usr" $NF }' <(echo "$names") -)
packages=$(dpkg-query -S "${paths[@]}" 2>/dev/null | cut -d: -f1 | sort -u || true)
# Libraries of headers alone, or linked from a static one, are not seen in a program.
packages+=" libcli11-dev libhdf5-dev libhwy-dev nlohmann-json3-dev libtomlplusplus-dev"
for package in $packages; do
  # The C library is the machine's own, and libjbig is not passed on (Files/Bundled/Jbig.cxx).
  case $package in libc6 | libjbig0) continue ;; esac
  text=/usr/share/doc/$package/copyright
  [ ! -e "$text" ] || cp -L "$text" "$folder/$package"
done
