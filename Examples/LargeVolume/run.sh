#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels a volume in a memory that is smaller than it.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom balls scan.nrrd --size 640 640 320 --spacing 0.02 0.02 0.02

brickccl label scan.nrrd balls.nrrd --memory 96MiB --minimum-size 100 --statistics balls.csv \
  --columns surface,topology --quiet
cut -d, -f1-3,25,32 balls.csv | sed -n 1,4p

brickccl stats balls.nrrd --picture large-volume.png --quiet
