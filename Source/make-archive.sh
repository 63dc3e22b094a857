#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes BUILD/NAME.tar.gz: the command and the modules for 3D Slicer with all libraries that they need beyond the C library. It
# runs wherever it is unpacked. The build target archive calls it.
#   make-archive.sh BUILD NAME
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
. "$source/make-moment.sh"
build=$1 name=$2
folder=$build/$name
rm -rf "$folder"
for component in command slicer-modules; do
  cmake --install "$build" --component "$component" --prefix "$folder" --strip >/dev/null
done
programs=("$folder"/bin/* "$folder"/libexec/BrickCCL/* "$folder"/lib*/BrickCCL/cli-modules/*)
[ -d "$folder/lib" ] || { echo "the build's libraries belong to lib (CMAKE_INSTALL_LIBDIR=lib)" >&2; exit 1; }
BUNDLED=$build/bundled "$source/copy-libraries.sh" "$folder/lib" "${programs[@]}"
share=$folder/share
mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/site-functions,doc/brickccl/recipes}
"$folder/bin/brickccl" manual | gzip -9n >"$share/man/man1/brickccl.1.gz"
"$folder/bin/brickccl" completion bash >"$share/bash-completion/completions/brickccl"
"$folder/bin/brickccl" completion zsh >"$share/zsh/site-functions/_brickccl"
cp "$source"/Inspection/Batch/Recipes/*.toml "$share/doc/brickccl/recipes/"
cp "$source/Fronts/Slicer/README.md" "$share/doc/brickccl/Slicer.md"
cp "$source/../LICENSE" "$source/../CHANGELOG.md" "$share/doc/brickccl/"
"$source/copy-notices.sh" "$share/doc/brickccl/licenses" "${programs[@]}" "$folder"/lib/*.so*
cp "$source/archive.md" "$folder/README.md"
tar -C "$build" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$folder.tar.gz"
echo "$folder.tar.gz: $(du -sm "$folder.tar.gz" | cut -f1) MB, unpacked $(du -sm "$folder" | cut -f1) MB"
