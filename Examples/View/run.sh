#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows a casting in the browser, and applies the recipe that was chosen there.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"
rm -rf results
cp "$example/recipe.toml" "$example/view.png" .

brickccl phantom casting part.nrrd --size 160 160 120 --spacing 0.1 0.1 0.1

if [ -t 0 ]; then
  brickccl view part.nrrd
fi

brickccl batch recipe.toml part.nrrd -o results

cut -d, -f1,3,9,10 results/items.csv
