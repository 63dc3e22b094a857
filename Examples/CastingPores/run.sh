#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds, measures and sorts out the pores of a casting.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1

brickccl label part.nrrd pores.nrrd --pores --connectivity full --minimum-volume 0.02 --order size \
  --statistics pores.csv --columns surface --picture casting-pores.png

brickccl select pores.nrrd ragged.nrrd --where "volume_mm3 > 0.5 and sphericity < 0.7" --keep --keep-labels \
  --print --columns volume_mm3,sphericity
