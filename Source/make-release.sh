#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes BUILD/release: the wheel, the source distribution, the archive and the list of the libraries in it (SBOM, CycloneDX),
# on Debian also packages and the zip for Windows, with SHA256SUMS. The build target release calls it, after the archive was made.
#   make-release.sh BUILD PYTHON
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 python=$2
export BRICKCCL=$build/bin/brickccl
version=$("$BRICKCCL" --version)
"$python" "$root/Wrapping/Python/tests/run.py" "$build-python" environment
"$python" "$root/Wrapping/Python/tests/run.py" "$build-python" wheel --files
rm -rf "$build/release"
mkdir "$build/release"
cp "$build-python"/wheel/repaired/*.whl "$build-python"/sdist/*.tar.gz "$build/brickccl-$version"-linux-*.tar.gz \
  "$build/release/"
moment=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$root/Source/Engine/Core/Version.h")}
licenses=$(echo "$build/brickccl-$version"-linux-*/share/doc/brickccl/licenses)
python3 "$root/Source/make_sbom.py" "$licenses" "$version" "$moment" >"$build/release/brickccl-$version.cdx.json"
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
