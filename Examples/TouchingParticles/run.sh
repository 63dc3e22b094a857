#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Splits touching particles, and maps distances to their borders.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom balls scan.nrrd --size 120 120 120 --density 0.3 --spacing 0.01 0.01 0.01

brickccl label scan.nrrd grains.nrrd --connectivity full --split --minimum-size 20 \
  --statistics grains.csv --contacts contacts.csv --picture grains.png
cut -d, -f1-3,22,24- grains.csv | sed -n 1,4p
sed -n 1,3p contacts.csv

brickccl label scan.nrrd powder.nrrd --connectivity full
brickccl split powder.nrrd coarse.nrrd --split-height 0.02

brickccl split powder.nrrd --curve curve.csv
sed -n 1,3p curve.csv

brickccl morph powder.nrrd cores.nrrd --erode 0.04
brickccl label cores.nrrd seeds.nrrd --connectivity full
brickccl split powder.nrrd seeded.nrrd --split-seeds seeds.nrrd

brickccl distance powder.nrrd depth.nrrd
