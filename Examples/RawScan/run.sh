#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds the pores of a scan without a header.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1 --quiet
python3 "$example/make_raw.py" part.nrrd part_160x160x120_int16_0.1mm.raw

brickccl info part_160x160x120_int16_0.1mm.raw 2>&1 | tail -1 || true

brickccl label part_160x160x120_int16_0.1mm.raw pores.nrrd --raw 160x160x120:int16 --spacing 0.1 0.1 0.1 \
  --pores --minimum-volume 0.02 --picture raw-pores.png
