#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares two scans of one series, defect by defect.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"
rm -rf first again report report-again

mkdir first again
for seed in 1 2 3 4; do
  brickccl phantom casting first/part-$seed.nrrd --seed $seed --spacing 0.1 0.1 0.1 --quiet
  brickccl phantom casting again/part-$seed.nrrd --seed $seed --spacing 0.1 0.1 0.1 --noise 120 --blur 0.8 --quiet
done
brickccl batch casting-porosity first -o report

brickccl batch casting-porosity again -o report-again

brickccl compare report report-again -o changes.csv

brickccl render report/items/part-2/labels.nrrd before.png --intensity again/part-2.nrrd
