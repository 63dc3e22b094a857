#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes BUILD/release: the wheel, the source distribution, the archive and the list of the libraries in it (SBOM, CycloneDX),
# on Debian also packages, with SHA256SUMS; a wheel with CUDA, a wheel for 64-bit ARM and the zip for Windows where there is what
# compiles them, and WITHOUT does not name them: "cuda aarch64 windows". The build target release calls it, after the archive was
# made.
#   [WITHOUT=...] make-release.sh BUILD PYTHON
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 python=$2
export BRICKCCL=$build/bin/brickccl
version=$("$BRICKCCL" --version)
. "$root/Source/make-moment.sh"
for name in ${WITHOUT:-}; do
  case $name in
    cuda | aarch64 | windows) ;;
    *) echo "WITHOUT: '$name' is none of cuda, aarch64 and windows" >&2; exit 2 ;;
  esac
done
"$python" "$root/Wrapping/Python/tests/run.py" "$build-python" environment
"$python" "$root/Wrapping/Python/tests/run.py" "$build-python" wheel --files
folders=("$build-python")
# left_out NAME MISSING: whether something is missing for it, or WITHOUT names it; says so.
left_out() {
  case " ${WITHOUT:-} " in *" $1 "*) set -- "$1" "WITHOUT names it" ;; esac
  [ -z "$2" ] || echo "$1 is left out: $2" >&2
  [ -n "$2" ]
}
# wheel NAME MISSING: another wheel, if it is not left out.
wheel() {
  ! left_out "$@" || return 0
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
! grep -qs "^ID=debian" /etc/os-release ||
  "$root/Source/make-packages.sh" "$build" "$build/release" "$build-python"/wheel/*.whl "$build-python/environment/bin/python"
# The command for Windows, where its preset was configured (Testing/install-mingw.sh).
missing=""
[ -e "$root/build/mingw/build.ninja" ] || missing="the preset mingw is not configured"
zips=()
if ! left_out windows "$missing"; then
  cmake --build "$root/build/mingw" --target brickccl-command
  "$root/Source/make-windows-zip.sh" "$root/build/mingw" "$build/release"
  zips=("$build/release"/*.zip)
fi
archive=$(basename "$build/brickccl-$version"-linux-*.tar.gz)
"$build-python/environment/bin/python" "$root/Source/make_sbom.py" "$version" "$SOURCE_DATE_EPOCH" \
  "$root/build" "$build/release"/*.whl "${zips[@]}" \
  "$archive=$build/${archive%.tar.gz}/share/doc/brickccl/licenses" >"$build/release/brickccl-$version.cdx.json"
cd "$build/release"
sha256sum -- * | tee SHA256SUMS
