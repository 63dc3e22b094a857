#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Keeps the largest component of a class of a segmentation.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log_truth.nrrd" segmentation.nrrd

brickccl label segmentation.nrrd crack.nrrd --range 1 1 --connectivity 26 --largest 1 --picture largest-crack.png

brickccl label segmentation.nrrd cracks.nrrd --range 1 1 --connectivity 26 --order size --statistics cracks.csv
cut -d, -f1-3 cracks.csv

for class in 1 2; do
  brickccl label segmentation.nrrd "class$class.nrrd" --range $class $class --connectivity 26 --largest 1 --quiet
done
