#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a mask without holes, and chooses components by seeds.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log_truth.nrrd" segmentation.nrrd
cp "$repository/Data/log.nrrd" scan.nrrd

brickccl label scan.nrrd wood.nrrd --range -700 inf --largest 1 --fill-holes \
  --picture filled-mask.png

brickccl morph wood.nrrd smooth.nrrd --close 4

brickccl label segmentation.nrrd chosen.nrrd --range 1 1 --connectivity 26 --seeds "54,53,22;39,51,78" --clear-border
