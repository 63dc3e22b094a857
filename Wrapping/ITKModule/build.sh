#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds this folder as an external module against a build tree of ITK (not an installed ITK), as ITK itself was built, and
# runs its test.
#   build.sh ITK_BUILD_TREE [BUILD_FOLDER [OPTION_OF_CMAKE...]]
# README.md says how to build ITK for it. Python wrapping is built if ITK's build tree has it: -DITK_WRAP_PYTHON=ON there.
# -DBRICKCCL_ENABLE_CUDA=ON, after BUILD_FOLDER, takes in the CUDA kernels.
set -euo pipefail
fail() {
  echo "build.sh: $1" >&2
  exit 2
}
if [ $# -lt 1 ] || [ ! -f "$1/ITKConfig.cmake" ]; then
  echo "usage: build.sh ITK_BUILD_TREE [BUILD_FOLDER [OPTION_OF_CMAKE...]]" >&2
  fail "the first is a folder that ITK was built in, with ITKConfig.cmake; '${1:-}' is none"
fi
itk=$(cd "$1" && pwd)
module=$(cd "$(dirname "$0")" && pwd)
build=${2:-$module/../../build/itk-module}
shift $(($# > 2 ? 2 : $#))
if [ ! -f "$itk/CMakeCache.txt" ]; then
  fail "$itk is no build tree, since it has no CMakeCache.txt; ITK takes no external modules where it is installed"
fi
if ! compgen -G "$itk/lib/libITKCommon*" >/dev/null; then
  fail "ITK is configured in $itk, but not built; run: cmake --build $itk"
fi
enabled=$(sed -n 's/^set(ITK_MODULES_ENABLED "\(.*\)")/;\1;/p' "$itk/ITKConfig.cmake")
for needed in ITKConnectedComponents ITKImageStatistics ITKLabelMap ITKStatistics; do
  case $enabled in
    *";$needed;"*) ;;
    *) fail "the ITK in $itk was built without the module $needed; configure it with -DModule_$needed=ON and build it" ;;
  esac
done

# What ITK's cache says of the compilers and of wrapping. Later options win.
options=(-DCMAKE_BUILD_TYPE=Release)
for option in CMAKE_GENERATOR CMAKE_BUILD_TYPE CMAKE_C_COMPILER CMAKE_CXX_COMPILER ITK_WRAP_PYTHON ITK_USE_SYSTEM_CASTXML \
  ITK_USE_SYSTEM_SWIG CASTXML_EXECUTABLE SWIG_EXECUTABLE Python3_EXECUTABLE; do
  value=$(sed -n "s/^$option:[A-Z]*=//p" "$itk/CMakeCache.txt")
  if [ "$option" = CMAKE_GENERATOR ]; then
    options+=(-G "$value")
  elif [ -n "$value" ]; then
    options+=("-D$option=$value")
  fi
done
cmake -S "$module" -B "$build" "${options[@]}" -DITK_DIR="$itk" -DITK_USE_CLANG_FORMAT=OFF -DITK_USE_KWSTYLE=OFF \
  -DBUILD_TESTING=ON "$@"
cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN)"
ctest --test-dir "$build" --output-on-failure
