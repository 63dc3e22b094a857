#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes pictures of README.md and of the pages here anew, from what quickstart.sh and the scripts run.sh draw.
#   make-pictures.sh [NAME...]   with names, such as CastingPores or cracks, only those
set -euo pipefail
cd "$(dirname "$0")/.."
export BRICKCCL=$PWD/build/release/bin/brickccl

# Copies a picture with 43 tones of each color, which look the same here and take a quarter of the space.
# python3 needs Pillow.
keep() {
  python3 - "$1" "$2" <<'SCRIPT'
import sys
from PIL import Image
tones = Image.open(sys.argv[1]).convert("RGB").point(lambda tone: min(255, (tone + 3) // 6 * 6))
tones.quantize(256, dither=Image.Dither.NONE).save(sys.argv[2], optimize=True)
SCRIPT
}

names=("$@")
[ $# -gt 0 ] || names=(cracks $(cd Examples && ls -d */ | tr -d /))
Examples/quickstart.sh
Testing/install-packages.sh
cmake --preset release -Wno-dev --log-level=WARNING
cmake --build --preset release
for name in "${names[@]}"; do
  if [ "$name" = cracks ]; then
    keep build/quickstart/cracks.png Examples/cracks.png
    continue
  fi
  "Examples/$name/run.sh"
  sed -n 's/^!\[.*\](\(.*\.png\))$/\1/p' "Examples/$name/README.md" | while read -r picture; do
    keep "build/examples/$name/$picture" "Examples/$name/$picture"
  done
done
