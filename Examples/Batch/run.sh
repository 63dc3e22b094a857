#!/usr/bin/env bash
# Judges a series of castings by a recipe, and writes their report.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"
rm -rf castings report casting.toml again report-again changes prints report-print

mkdir castings
for seed in 1 2 3 4; do
  brickccl phantom casting castings/part-$seed.nrrd --seed $seed --spacing 0.1 0.1 0.1
done

brickccl recipe new casting-porosity -o casting.toml
brickccl recipe explain casting.toml

brickccl batch casting.toml castings -o report --report

cut -d, -f1,3-7,9,10 report/items.csv

brickccl batch casting.toml castings -o report --report --resume

mkdir again
for seed in 1 2 3 4; do
  brickccl phantom casting again/part-$seed.nrrd --seed $seed --spacing 0.1 0.1 0.1 --noise 120 --blur 0.8
done
brickccl batch casting.toml again -o report-again
brickccl compare report report-again -o changes.csv --pictures changes

mkdir prints
brickccl phantom print prints/p.nrrd --truth truth.nrrd --spacing 0.02 0.02 0.02 --diameters 2 3 4 5 --noise 400 --blur 1.1
brickccl batch print-porosity prints -o report-print
brickccl score report-print/items/p/labels.nrrd truth.nrrd --plot detection.svg

cp report/items/part-2/picture.png batch-casting.png
cp changes/part-2.png batch-changes.png
