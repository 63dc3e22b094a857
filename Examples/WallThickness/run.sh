#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the walls of a casting.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1

brickccl thickness part.nrrd walls.nrrd --threshold otsu --limit 3 --picture walls.png
