#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fills a folder with the modules for 3D Slicer, the shared libraries that they need, their page and the licenses, and packs
# it as FOLDER.tar.gz. The build target slicer-bundle calls it.
#   [BUNDLED=FOLDER] fill-bundle.sh FOLDER PROGRAM ...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bundle=$1
shift
rm -rf "$bundle"
mkdir -p "$bundle/cli-modules" "$bundle/licenses"
cp "$@" "$bundle/cli-modules/"
"$here/../../copy-libraries.sh" "$bundle/cli-modules/lib" "$@"
# Slicer runs every file of the modules' folder that may be executed.
chmod -x "$bundle"/cli-modules/lib/*
strip --strip-unneeded "$bundle"/cli-modules/Brick*
cp "$here/README.md" "$bundle/"
cp "$here/../../../LICENSE" "$bundle/licenses/BrickCCL"
"$here/../../copy-notices.sh" "$bundle/licenses" "$@" "$bundle"/cli-modules/lib/*
tar -czf "$bundle.tar.gz" -C "$(dirname "$bundle")" "$(basename "$bundle")"
echo "$bundle.tar.gz: $(du -sm "$bundle.tar.gz" | cut -f1) MB, unpacked $(du -sm "$bundle" | cut -f1) MB"
