#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cleans a segmentation of several classes.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log_truth.nrrd" segmentation.nrrd

brickccl clean segmentation.nrrd cleaned.nrrd --connectivity 26 --minimum-volume 10000 --fill-holes

brickccl label cleaned.nrrd parts.nrrd --equal-value --connectivity 26 --picture cleaned-log.png --quiet
