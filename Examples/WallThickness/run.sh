#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the walls of a printed part.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom print part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1

brickccl thickness part.nrrd walls.nrrd --threshold otsu --limit 1 --picture walls.png
