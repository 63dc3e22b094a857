#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures a label map that another program made.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log_truth.nrrd" labels.nrrd
cp "$repository/Data/log.nrrd" scan.nrrd

brickccl stats labels.nrrd -o classes.csv --intensity scan.nrrd --columns topology
cut -d, -f1-3,25-28,31- classes.csv

brickccl label labels.nrrd parts.nrrd --equal-value --connectivity 26 --order size --picture log-parts.png \
  --statistics parts.csv --intensity scan.nrrd --columns value,volume_mm3,equivalent_spherical_diameter_mm,intensity_mean
cat parts.csv
