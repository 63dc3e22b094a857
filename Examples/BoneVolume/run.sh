#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the bones of a CT that is a DICOM series.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"
cp -r "$repository/Data/forearm" .

brickccl info forearm

brickccl label forearm bones.nii.gz --threshold 200 --fill-holes --holes-by-slice z --connectivity full \
  --minimum-volume 100 --order size --intensity forearm --picture bones.png \
  --print --columns volume_mm3,centroid_x_mm,intensity_mean
