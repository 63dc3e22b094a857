#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds the pores of a casting that lie close below its surface.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1 --seed 2

brickccl label part.nrrd pores.nrrd --pores --minimum-size 8 --picture near-surface-pores.png \
  --print --columns surface_distance_mm,volume_mm3 --sort +surface_distance_mm --top 5
