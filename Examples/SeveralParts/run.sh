#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inspects two castings in one scan.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting one.nhdr --size 96 96 60 --spacing 0.1 0.1 0.1 --seed 1 --quiet
brickccl phantom casting two.nhdr --size 96 96 40 --spacing 0.1 0.1 0.1 --seed 2 --quiet
mkdir -p trays
{ gunzip -c one.raw.gz; head -c $((96 * 96 * 4 * 2)) /dev/zero; gunzip -c two.raw.gz; } > trays/tray.raw

brickccl label trays/tray.raw pores.nrrd --raw 96x96x104:int16 --spacing 0.1 0.1 0.1 --pores --threshold iso50 \
  --connectivity full --minimum-size 8 --parts all --statistics pores.csv --picture tray.png

cat > tray.toml <<'END'
[recipe]
name = "Castings on a tray"

[input]
raw = "96x96x104:int16"
spacing_mm = [0.1, 0.1, 0.1]

[part]
method = "pores"
threshold = "iso50"
parts = 2

[labeling]
connectivity = 26
minimum_size = 8

[[acceptance]]
name = "Porosity"
rule = "porosity"
at_most_percent = 0.8
END
brickccl batch tray.toml trays -o results --report

cut -d, -f1-5,9,10 results/parts.csv
