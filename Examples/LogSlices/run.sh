#!/usr/bin/env bash
# Labels each slice of a log on its own.   run.sh [FOLDER OF THE RESULTS]
source "$(dirname "$0")/../begin.sh"

cp "$repository/Data/log.nrrd" .

brickccl label log.nrrd knots.nrrd --range 0 inf --by-slice z --connectivity 8 --minimum-size 4 --statistics knots.csv \
  --picture log-knots.png
cut -d, -f1-4,20,21 knots.csv | sed -n 1,8p
