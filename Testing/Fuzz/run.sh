#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of all image formats, and the requests of `brickccl view`, under the address and undefined-behavior sanitizers.
#   Testing/Fuzz/run.sh [SECONDS [FORMAT ...]]       60 seconds each by default; 0: the known inputs once
# FUZZ_SEED=N: the same inputs for the same code, as far as the seconds go (in CI a fault then belongs to the change); else others each time.
# Ends with an error where an input crashes, takes more than 10 seconds or more than 2 GB; build/fuzz/found has it then.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
shift || true
formats=("$@")
[ ${#formats[@]} -gt 0 ] || formats=(nrrd nifti metaimage tiff png jpeg bmp npy zarr isq mgh gipl vgi vtk txm vff dicom http)
Testing/install-packages.sh clang libclang-rt-14-dev
cmake --preset fuzz -Wno-dev --log-level=WARNING
cmake --build --preset fuzz
mkdir -p build/fuzz/found build/fuzz/corpus
export ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1

fuzz() {
  mkdir -p "build/fuzz/corpus/$1"
  build/fuzz/bin/brickccl-fuzz-"$1" "$limit" "-seed=${FUZZ_SEED:-0}" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/found/$1-" \
    "build/fuzz/corpus/$1" "Testing/Fuzz/seeds/$1" >"build/fuzz/$1.log" 2>&1 || {
    tail -40 "build/fuzz/$1.log"
    echo "the reader of $1 files failed: see build/fuzz/found and build/fuzz/$1.log" >&2
    return 1
  }
  echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$1.log") inputs"
}
limit=-max_total_time=$seconds
[ "$seconds" -gt 0 ] || limit=-runs=0
export -f fuzz
export limit
printf '%s\n' "${formats[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
