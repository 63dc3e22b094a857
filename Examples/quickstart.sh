#!/usr/bin/env bash
# Installs what is missing, builds the command and finds the cracks in the sample log of Data/.
set -euo pipefail
cd "$(dirname "$0")/.."
Testing/install-packages.sh
cmake --preset release -Wno-dev --log-level=WARNING
cmake --build --preset release --target brickccl-command
out=build/quickstart
mkdir -p "$out"

# Cracks are full of air (below -750 HU); so is the room around the log, which is larger than any crack.
build/release/bin/brickccl label Data/log.nrrd "$out/cracks.nrrd" \
  --range -inf -750 --connectivity 26 --minimum-size 20 --maximum-size 300000 --order size \
  --statistics "$out/cracks.csv" --intensity Data/log.nrrd --picture "$out/cracks.png"
echo
cut -d, -f1-3,22,24-27 "$out/cracks.csv"
echo
echo "labels: $out/cracks.nrrd   table: $out/cracks.csv   picture: $out/cracks.png"
