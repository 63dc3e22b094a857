#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds the pores of a block with a bore, such as an engine's.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom print block.nrrd --size 160 160 120 --spacing 0.5 0.5 0.5

brickccl label block.nrrd pores.nrrd --pores --threshold iso50 --minimum-size 8 --order size --picture engine-pores.png \
  --print --columns volume_mm3,surface_distance_mm --top 5
