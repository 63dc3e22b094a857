#!/usr/bin/env bash
# Cleans a segmentation of several classes, and a mask.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log_truth.nrrd" segmentation.nrrd
cp "$repository/Data/log.nrrd" scan.nrrd

brickccl clean segmentation.nrrd cleaned.nrrd --connectivity 26 --minimum-volume 10000 --fill-holes

brickccl clean segmentation.nrrd knots.nrrd --values 2 --largest 2 --fill-holes 500 --quiet

brickccl label scan.nrrd wood.nrrd --range -700 inf --largest 1 --fill-holes

brickccl label segmentation.nrrd chosen.nrrd --range 1 1 --connectivity 26 --seeds "54,53,22;39,51,78" --clear-border

brickccl label cleaned.nrrd parts.nrrd --equal-value --connectivity 26 --picture cleaned-log.png --quiet
