#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a program against an installed BrickCCL and runs it.   run.sh [FOLDER OF THE RESULTS]
# BRICKCCL_BUILD is BrickCCL's build folder, build/release if it is not set.
source "$(dirname "$0")/../begin.sh"
build=${BRICKCCL_BUILD:-$repository/build/release}

cmake --install "$build" --prefix "$results/brickccl" >/dev/null
cmake -S "$example" -B program -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$results/brickccl" --log-level=WARNING
cmake --build program

program/pores

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1
brickccl label part.nrrd labels.nrrd --range -inf 1000 --connectivity 26 --minimum-volume 0.02 --maximum-size 100000 \
  --order size --statistics command.csv --picture program-pores.png
cmp pores.csv command.csv
