#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fills a folder with programs and the shared libraries that they need beyond the C library; the programs look for them
# beside themselves. The build target gpu-bundle calls it.
#   fill-bundle.sh FOLDER PROGRAM ...
set -euo pipefail
sources=$(cd "$(dirname "$0")/../.." && pwd)
bundle=$1
shift
rm -rf "$bundle"
mkdir -p "$bundle"
cp "$sources/Testing/gpu/run.sh" "$sources/Testing/gpu/peers.py" "$bundle/"
cp "$sources/Data/log.nrrd" "$bundle/"
cp "$@" "$bundle/"
"$sources/Source/copy-libraries.sh" "$bundle" "$@"
find "$bundle" -type f -perm -u+x ! -name '*.sh' ! -name '*.py' -exec strip --strip-unneeded {} +
# What the results are results of.
cd "$sources"
git ls-files 'Source/*.cu' 'Source/*.cuh' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16 > "$bundle/sources.sha256"
size=$(du -sm "$bundle" | cut -f1)
echo "$bundle: $size MB"
if [ "$size" -gt 60 ]; then
  echo "$bundle has $size MB; it should have at most 60, so that it can be carried anywhere" >&2
  exit 1
fi
