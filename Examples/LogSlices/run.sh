#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels each slice of a log on its own.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom log log.nrrd --size 128 128 200
python3 "$example/make_slices.py" log.nrrd slices

brickccl label "slices/log_%03d.tif" knots.nrrd --spacing 2 2 4 --range 0 inf --by-slice z --connectivity 8 --minimum-size 4 \
  --statistics knots.csv --picture log-knots.png
cut -d, -f1-4,20,21 knots.csv | sed -n 1,8p
