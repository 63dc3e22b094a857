#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes tables for a spreadsheet and for pandas.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting part.nrrd --size 96 96 72 --spacing 0.1 0.1 0.1

brickccl label part.nrrd pores.nrrd --pores --connectivity full --minimum-volume 0.02 \
  --statistics pores.xlsx --columns volume_um3,sphericity,surface_distance_um --units um --sort volume_um3 --top 20 \
  --order size --picture table-pores.png
brickccl stats pores.nrrd -o pores.csv --columns surface --csv-separator semicolon --decimal comma
sed -n 2p pores.csv | cut -d';' -f1-3
