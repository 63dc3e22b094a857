#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Judges a series of castings by a recipe, and writes their report.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"
rm -rf castings report

cp "$example/report.png" .

mkdir castings
for seed in {01..30}; do
  brickccl phantom casting castings/part-$seed.nrrd --seed $((10#$seed)) --size 64 64 48 --spacing 0.2 0.2 0.2 --quiet
done

brickccl recipe explain casting-porosity

brickccl batch casting-porosity castings -o report --report

cut -d, -f1,3-7,9,10 report/items.csv | sed -n 1,9p

cp report/items/part-02/picture.png batch-casting.png
