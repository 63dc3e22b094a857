#!/usr/bin/env bash
# Makes the pictures of README.md and of every page here anew, from what quickstart.sh and the scripts run.sh draw.
set -euo pipefail
cd "$(dirname "$0")/.."
export BRICKCCL=$PWD/build/release/bin/brickccl
Examples/quickstart.sh
cmake --build --preset release
cp build/quickstart/cracks.png Examples/
for script in Examples/*/run.sh; do
  name=$(basename "$(dirname "$script")")
  "$script"
  sed -n 's/^!\[.*\](\(.*\.png\))$/\1/p' "Examples/$name/README.md" | while read -r picture; do
    cp "build/examples/$name/$picture" "Examples/$name/"
  done
done
