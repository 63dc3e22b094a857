#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a pipeline of ITK filters against an installed BrickCCL and runs it.   run.sh [FOLDER OF THE RESULTS]
# BRICKCCL_BUILD is BrickCCL's build folder. If it is not set, the library is built first, in build/library.
needs_command=no
source "$(dirname "$0")/../begin.sh"
build=${BRICKCCL_BUILD:-$repository/build/library}

if [ -z "${BRICKCCL_BUILD:-}" ]; then
  pushd "$repository" >/dev/null
  cmake --preset library
  cmake --build --preset library
  popd >/dev/null
fi
cmake --install "$build" --prefix "$results/brickccl" >/dev/null
cmake -S "$example" -B program -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$results/brickccl" --log-level=WARNING
cmake --build program

cp "$repository/Data/log.nrrd" .
program/knots log.nrrd knots.nrrd long.nrrd

if command -v brickccl >/dev/null; then
  brickccl label log.nrrd parts.nrrd --mask knots.nrrd --background none --connectivity 18 --order size \
    --picture pipeline-knots.png
fi
