#!/usr/bin/env bash
# Builds this folder as an external module against a build tree of ITK (not an installed ITK) and runs its test.
#   build.sh ITK_BUILD_TREE [BUILD_FOLDER]
# ITK is to be built with its modules ITKConnectedComponents, ITKImageStatistics, ITKLabelMap and ITKStatistics. Python wrapping
# is built if ITK's build tree has it: -DITK_WRAP_PYTHON=ON there.
set -euo pipefail
if [ $# -lt 1 ] || [ ! -f "$1/ITKConfig.cmake" ]; then
  echo "usage: build.sh ITK_BUILD_TREE [BUILD_FOLDER]; the first is a folder that ITK was built in, with ITKConfig.cmake" >&2
  exit 2
fi
itk=$(cd "$1" && pwd)
module=$(cd "$(dirname "$0")" && pwd)
build=${2:-$module/../../build/itk-module}
if [ ! -f "$itk/CMakeCache.txt" ]; then
  echo "build.sh: $itk is no build tree, since it has no CMakeCache.txt; ITK takes no external modules where it is installed" >&2
  exit 2
fi
# As ITK itself was configured.
options=()
for option in ITK_WRAP_PYTHON ITK_USE_SYSTEM_CASTXML ITK_USE_SYSTEM_SWIG; do
  value=$(sed -n "s/^$option:BOOL=//p" "$itk/CMakeCache.txt")
  options+=("-D$option=${value:-OFF}")
done
cmake -S "$module" -B "$build" -DITK_DIR="$itk" -DCMAKE_BUILD_TYPE=Release -DITK_USE_CLANG_FORMAT=OFF -DITK_USE_KWSTYLE=OFF \
  -DBUILD_TESTING=ON "${options[@]}"
cmake --build "$build" --parallel
ctest --test-dir "$build" --output-on-failure
