#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds this checkout's CUDA tests on a machine that has a GPU, the CUDA toolkit, CMake, Ninja, Highway and GoogleTest, passes
# them and compares the benchmark's times with those of older sources, which are built beside it:
#   Testing/gpu/check-sources.sh [--old FOLDER] [--filter TESTS] [-- OPTION OF THE BENCHMARK ...]
#     --old FOLDER      the older sources (git worktree add FOLDER COMMIT); without them nothing is timed
#     --filter TESTS    which tests of Device run (GoogleTest's filter); '*' by default. Its volumes of more than 2^31 voxels take
#                       minutes: '-*Large*'
# Prints what belongs into RESULTS.md. Ends with an error if a test fails, or if labeling is slower by more than 1 %.
set -euo pipefail
old=
filter='*'
options=(--size 512 --kinds 512)
while [ $# -gt 0 ]; do
  case "$1" in
    --old | --filter)
      if [ $# -lt 2 ]; then
        echo "check-sources.sh: $1 needs a value" >&2
        exit 2
      fi
      if [ "$1" = --old ]; then old=$(cd "$2" && pwd); else filter=$2; fi
      shift 2
      ;;
    --)
      shift
      options=("$@")
      break
      ;;
    *)
      echo "check-sources.sh: unknown option '$1'; see the head of this file" >&2
      exit 2
      ;;
  esac
done
cd "$(dirname "$0")/../.."
# configure_and_build SOURCES TARGET ...
configure_and_build() {
  (
    cd "$1"
    shift
    cmake --preset core-cuda -Wno-dev --log-level=WARNING >/dev/null
    cmake --build --preset core-cuda --target "$@" >build/core-cuda/build.log || {
      grep -m 20 -A 4 -iE 'error|FAILED' build/core-cuda/build.log >&2
      exit 1
    }
  )
}
hash_of_sources() {
  (cd "$1" && find Source -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16)
}
targets=(Conformance Device)
[ -z "$old" ] || targets+=(brickccl-gpu-benchmark)
configure_and_build . "${targets[@]}"
echo "- date: $(date -u +%F)"
echo "- GPU: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
echo "- CUDA sources: $(hash_of_sources .)"
programs=build/core-cuda/bin
for program in Conformance Device; do
  chosen='*'
  [ "$program" = Conformance ] || chosen=$filter
  "$programs/$program" --gtest_brief=1 --gtest_filter="$chosen" >"$programs/$program.log" 2>&1 || {
    tail -n 60 "$programs/$program.log" >&2
    exit 1
  }
  if grep -q '^\[  PASSED  \] 0 tests' "$programs/$program.log"; then
    tail -n 20 "$programs/$program.log" >&2
    echo "check-sources.sh: no test of $program ran" >&2
    exit 1
  fi
  echo "- $program ($chosen): $(sed -n 's/^\[  PASSED  \] //p' "$programs/$program.log")"
  sed -n 's/^\[  SKIPPED \] /  - skipped: /p' "$programs/$program.log"
done
if command -v cuobjdump >/dev/null; then
  early=$(Testing/gpu/check_early_kernels.py "$programs/Conformance" "$programs/Device")
  echo "- kernels that are launched early, in the machine code of Conformance and Device: $early"
else
  echo "- there is no cuobjdump here: kernels that are launched early were not looked at"
fi
[ -n "$old" ] || exit 0
configure_and_build "$old" brickccl-gpu-benchmark
echo "- the same beside the CUDA sources $(hash_of_sources "$old"), options ${options[*]}:"
echo
python3 Testing/gpu/compare_benchmarks.py "$old/$programs/brickccl-gpu-benchmark" "$programs/brickccl-gpu-benchmark" -- "${options[@]}"
