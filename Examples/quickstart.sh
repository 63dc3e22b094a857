#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the command and finds the cracks in the sample log of Data/.
#   Examples/quickstart.sh [--cuda]      --cuda: labeling on a GPU as well, also if no GPU answers here
set -euo pipefail
cd "$(dirname "$0")/.."
cuda=OFF minutes=4 architecture=75-virtual
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [ -n "$nvcc" ] && { command -v nvidia-smi && nvidia-smi -L; } >/dev/null 2>&1; then
  cuda=ON minutes=10 architecture=native
elif [ "${1:-}" = --cuda ]; then
  cuda=ON minutes=10
elif [ $# -gt 0 ]; then
  echo "unknown option '$1'; the only one is --cuda" >&2
  exit 1
fi
echo "This installs missing packages by apt, builds build/quick/bin/brickccl (about $minutes minutes on two cores) and"
echo "labels the cracks in Data/log.nrrd (less than a second)."
Testing/install-packages.sh --quick
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset quick -Wno-dev --log-level=WARNING \
  -DBRICKCCL_ENABLE_CUDA=$cuda -DBRICKCCL_CUDA_ARCHITECTURES=$architecture
cmake --build --preset quick
out=build/quickstart
mkdir -p "$out"

# Cracks are full of air (below -750 HU); so is the room around the log, which is larger than any crack.
build/quick/bin/brickccl label Data/log.nrrd "$out/cracks.nrrd" \
  --range -inf -750 --connectivity 26 --minimum-size 20 --maximum-size 300000 --order size \
  --statistics "$out/cracks.csv" --intensity Data/log.nrrd --picture "$out/cracks.png"
echo
cut -d, -f1-3,22,24-27 "$out/cracks.csv"
cat <<END

labels: $out/cracks.nrrd   table: $out/cracks.csv   picture: $out/cracks.png

Next, with a scan of your own (or 'brickccl phantom casting part.nrrd --spacing 0.1 0.1 0.1', which makes one):
  export PATH=\$PATH:$PWD/build/quick/bin
  brickccl info part.nrrd                                  what the scan is, and thresholds for it
  brickccl label part.nrrd pores.nrrd --pores --statistics pores.csv --picture pores.png
  brickccl label --help
END
