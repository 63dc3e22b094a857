#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes FOLDER/brickccl-VERSION-windows-x86_64.zip from a build of the preset mingw: the command, its recipes, a start page and the
# licenses of the libraries in it. make-release.sh calls it.
#   make-windows-zip.sh BUILD FOLDER
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
. "$source/make-moment.sh"
build=$1 output=$(cd "$2" && pwd)
version=$(sed -nE 's/.*Version = "([0-9.]+)".*/\1/p' "$source/Engine/Core/Version.h")
name=brickccl-$version-windows-x86_64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name"/{recipes,licenses}
x86_64-w64-mingw32-strip -o "$work/$name/brickccl.exe" "$build/bin/brickccl.exe"
most=$((40 << 20))
[ "$(stat -c %s "$work/$name/brickccl.exe")" -le $most ] || { echo "brickccl.exe is larger than 40 MiB" >&2; exit 1; }
cp "$source"/Inspection/Batch/Recipes/*.toml "$work/$name/recipes"
cp "$source/windows.md" "$work/$name/README.md"
cp "$source/../LICENSE" "$source/../CHANGELOG.md" "$work/$name"
cp "$source/../build/mingw-packages/licenses/"* "$work/$name/licenses"
find "$work/$name" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$work" && TZ=UTC python3 -m zipfile -c "$output/$name.zip" "$name")
echo "$output/$name.zip: $(du -sm "$output/$name.zip" | cut -f1) MB"
