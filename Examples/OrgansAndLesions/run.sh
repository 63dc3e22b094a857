#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures many masks of one scan, and the pieces of each.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log.nrrd" scan.nrrd
mkdir -p masks
brickccl select "$repository/Data/log_truth.nrrd" masks/crack.nrrd --where "label == 1" --keep --quiet
brickccl select "$repository/Data/log_truth.nrrd" masks/knot.nrrd --where "label == 2" --keep --quiet

brickccl stats masks --intensity scan.nrrd -o organs.csv --columns voxel_count,volume_mm3,intensity_mean
cat organs.csv

brickccl merge masks -o organs.seg.nrrd
brickccl label organs.seg.nrrd lesions.seg.nrrd --equal-value --connectivity 26 --picture lesions.png \
  --statistics lesions.csv --columns value,volume_mm3 --quiet
cat lesions.csv

brickccl crop organs.seg.nrrd part.seg.nrrd --box 0,0,20,127,127,70 --quiet
brickccl stats part.seg.nrrd --intensity scan.nrrd --resample --print --columns voxel_count,intensity_mean

mkdir -p drawn predictions
cp masks/*.nrrd drawn
brickccl morph masks/crack.nrrd predictions/crack.nrrd --open 2 --quiet
brickccl morph masks/knot.nrrd predictions/knot.nrrd --dilate 2 --quiet
brickccl score predictions drawn --components --iou 0.3 -o scores.csv

cp -r "$repository/Data/forearm" .
brickccl label forearm bones.seg.dcm --threshold 200 --minimum-volume 100 --connectivity full --quiet
brickccl stats bones.seg.dcm --intensity forearm --print --columns volume_mm3,intensity_mean

brickccl clean organs.seg.nrrd cleaned.seg.nrrd --values crack --minimum-volume 10000
