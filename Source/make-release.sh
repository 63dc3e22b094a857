#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes BUILD/release: the wheel, the source distribution, the archive and the list of the libraries in it (SBOM, CycloneDX),
# on Debian also packages, with SHA256SUMS; a wheel with CUDA, a wheel for 64-bit ARM and the zip for Windows where there is what
# compiles them. The build target release calls it, after the archive was made.
#   make-release.sh BUILD PYTHON
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 python=$2
export BRICKCCL=$build/bin/brickccl
version=$("$BRICKCCL" --version)
# The same bytes for the same files.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$root/Source/Engine/Core/Version.h")}
"$python" "$root/Wrapping/Python/tests/run.py" "$build-python" environment
"$python" "$root/Wrapping/Python/tests/run.py" "$build-python" wheel --files
folders=("$build-python")
# wheel NAME MISSING: another wheel, if nothing is missing for it.
wheel() {
  [ -z "$2" ] || { echo "the wheel of $1 is left out: $2" >&2; return; }
  "$python" "$root/Wrapping/Python/tests/run.py" "$build-python" wheel --files "--$1"
  folders+=("$build-python-$1")
}
missing=""
[ -n "$(PATH=$PATH:/usr/local/cuda/bin type -P nvcc)" ] || missing="nvcc was not found"
wheel cuda "$missing"
missing=""
[ -e "$root/build/aarch64-packages/complete" ] || missing="its compiler is not installed (Testing/install-arm.sh)"
wheel aarch64 "$missing"
rm -rf "$build/release"
mkdir "$build/release"
cp "$build-python"/sdist/*.tar.gz "$build/brickccl-$version"-linux-*.tar.gz "$build/release/"
for folder in "${folders[@]}"; do
  cp "$folder"/wheel/repaired/*.whl "$build/release/"
done
archive=$(basename "$build/brickccl-$version"-linux-*.tar.gz)
"$build-python/environment/bin/python" "$root/Source/make_sbom.py" "$version" "$SOURCE_DATE_EPOCH" \
  "$root/build/aarch64-packages/var/cache/apt/archives" "$build/release"/*.whl \
  "$archive=$build/${archive%.tar.gz}/share/doc/brickccl/licenses" >"$build/release/brickccl-$version.cdx.json"
! grep -qs "^ID=debian" /etc/os-release ||
  "$root/Source/make-packages.sh" "$build" "$build/release" "$build-python"/wheel/*.whl "$build-python/environment/bin/python"
# The command for Windows, where its preset was configured (Testing/install-mingw.sh).
if [ -e "$root/build/mingw/build.ninja" ]; then
  cmake --build "$root/build/mingw" --target brickccl-command
  "$root/Source/make-windows-zip.sh" "$root/build/mingw" "$build/release"
else
  echo "the zip for Windows is left out: the preset mingw is not configured" >&2
fi
cd "$build/release"
sha256sum -- * | tee SHA256SUMS
