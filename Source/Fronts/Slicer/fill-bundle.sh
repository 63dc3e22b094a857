#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fills a folder with the modules for 3D Slicer, the shared libraries that they need, their page and the licenses, and packs
# it as FOLDER.tar.gz. The build target slicer-bundle calls it.
#   [BUNDLED=FOLDER] fill-bundle.sh FOLDER PROGRAM NAME ...
# The program has the name of each module, the first and the others.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bundle=$1 program=$2
shift 2
rm -rf "$bundle"
mkdir -p "$bundle/cli-modules" "$bundle/licenses"
cp "$program" "$bundle/cli-modules/"
"$here/../../copy-libraries.sh" "$bundle/cli-modules/lib" "$program"
# Slicer runs every file of the modules' folder that may be executed.
chmod -x "$bundle"/cli-modules/lib/*
strip --strip-unneeded "$bundle/cli-modules/${program##*/}"
for name in "$@"; do
  ln "$bundle/cli-modules/${program##*/}" "$bundle/cli-modules/$name"
done
cp "$here/README.md" "$bundle/"
cp "$here/../../../LICENSE" "$bundle/licenses/BrickCCL"
"$here/../../copy-notices.sh" "$bundle/licenses" "$program" "$bundle"/cli-modules/lib/*
tar -czf "$bundle.tar.gz" -C "$(dirname "$bundle")" "$(basename "$bundle")"
echo "$bundle.tar.gz: $(du -sm "$bundle.tar.gz" | cut -f1) MB, unpacked $(du -sm "$bundle" | cut -f1) MB"
