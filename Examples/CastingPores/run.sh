#!/usr/bin/env bash
# Finds, measures and sorts out the pores of a casting.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1

brickccl label part.nrrd pores.nrrd --range -inf 1000 --connectivity 26 --minimum-volume 0.02 --maximum-size 100000 \
  --order size --statistics pores.csv --columns sphericity --picture casting-pores.png
cut -d, -f1-3,22,24,28 pores.csv | sed -n 1,5p

brickccl stats pores.nrrd -o sizes.csv --histogram equivalent_spherical_diameter_mm --bins 8

brickccl select pores.nrrd ragged.nrrd --where "volume_mm3 > 0.5 and sphericity < 0.7" --keep --statistics ragged.csv

brickccl label part.nrrd outside.nrrd --range -inf 1000 --largest 1
brickccl label outside.nrrd solid.nrrd --range 0 0 --largest 1
brickccl stats pores.nrrd -o depths.csv --part solid.nrrd --histogram surface_distance_mm --bins 5
