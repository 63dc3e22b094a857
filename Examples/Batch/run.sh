#!/usr/bin/env bash
# Judges a series of castings by a recipe, and writes their report.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"
rm -rf castings report casting.toml

mkdir castings
for seed in 1 2 3 4; do
  brickccl phantom casting castings/part-$seed.nrrd --seed $seed --spacing 0.1 0.1 0.1
done

brickccl recipe new casting-porosity -o casting.toml
brickccl recipe explain casting.toml

brickccl batch casting.toml castings -o report --report

cut -d, -f1,3-7,9,10 report/items.csv

brickccl batch casting.toml castings -o report --report --resume

cp report/items/part-2/picture.png batch-casting.png
