#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds the grains of a polycrystal by a tolerance of gray values.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom grains scan.nrrd --size 96 96 96 --grain 24 --spacing 0.01 0.01 0.01

brickccl label scan.nrrd grains.nrrd --tolerance 20 --background none --statistics grains.csv --columns neighbors \
  --contacts contacts.csv --picture grains.png
cut -d, -f1-3,22,25- grains.csv | sed -n 1,5p
sed -n 1,3p contacts.csv

brickccl stats grains.nrrd -o sizes.csv --histogram equivalent_spherical_diameter_mm --bins 8 \
  --plot grain-sizes.png
