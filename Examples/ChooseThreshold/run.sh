#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks at a scan's values, chooses a threshold and measures what lies above.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log.nrrd" scan.nrrd

brickccl info scan.nrrd

brickccl label scan.nrrd knots.nrrd --smooth median:1 --threshold multi-otsu:4 --connectivity full --minimum-size 100 \
  --order size --picture chosen-threshold.png --print --columns volume_mm3,feret_diameter_mm --top 5

brickccl phantom casting hard.nrrd --truth truth.nrrd --blur 0.7 --rings 200 --hardening 1500 --seed 31
brickccl label hard.nrrd pores.nrrd --pores --threshold local:9:85 --minimum-size 2 --connectivity full
brickccl score pores.nrrd truth.nrrd
