#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests and the benchmark of a bundle (make-bundle.sh) on a GPU machine and prints RESULTS.md.
#   ./run.sh [[--segments] FILE NX NY NZ ...] > RESULTS.md      with further masks of one byte per voxel, or segments of
#                                                               four, which are labeled by equal values
set -euo pipefail
cd "$(dirname "$0")"
masks=()
segments=()
files=()
while [ $# -gt 0 ]; do
  count=4
  if [ "$1" = --segments ]; then
    count=5
  fi
  if [ $# -lt $count ]; then
    echo "run.sh: '$*' is too short: give a file and its extent, [--segments] FILE NX NY NZ" >&2
    exit 2
  fi
  if [ "$1" = --segments ]; then
    segments+=("${@:1:5}")
    shift 5
    continue
  fi
  masks+=(--mask "$1" "$2" "$3" "$4")
  files+=("$1" "$2" "$3" "$4")
  shift 4
done

echo "# Results on a GPU"
echo
echo "Made by \`Testing/gpu/make-bundle.sh\` and, on the GPU machine, \`run.sh\`."
echo
echo "- date: $(date -u +%F)"
echo "- GPU: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
echo "- CUDA sources: $(cat sources.sha256) (the SHA-256 of all SHA-256 of Source/**/*.cu and *.cuh)"
for program in Conformance Unit Device; do
  "./$program" --gtest_brief=1 > "$program.log" 2>&1 || { cat "$program.log" >&2; exit 1; }
  echo "- $program: $(sed -n 's/^\[==========\] \([0-9]* tests\).*ran.*/\1/p' "$program.log"), all passed"
done
for device in cpu cuda; do
  ./brickccl label log.nrrd "labels-$device.nrrd" --connectivity 26 --range -inf -750 --device "$device" \
    --statistics "table-$device.csv" --quiet
done
cmp labels-cpu.nrrd labels-cuda.nrrd
cmp table-cpu.csv table-cuda.csv
echo "- brickccl label on \`Data/log.nrrd\`: label map and table of the device the same as the CPU's"
if command -v compute-sanitizer > /dev/null; then
  compute-sanitizer --tool memcheck ./Conformance --gtest_brief=1 --gtest_filter='*ForegroundOf*:*SlicesEach*' > memcheck.log 2>&1 ||
    { tail -n 30 memcheck.log >&2; exit 1; }
  echo "- compute-sanitizer memcheck, part of Conformance: $(sed -n 's/^=* ERROR SUMMARY: //p' memcheck.log)"
fi
echo
echo "Milliseconds, data on the device, CUDA events, median of 20 after a warm-up, consecutive raster-order uint32 labels and"
echo "the number of components included. The floor reads a pixel and writes 4 bytes per voxel. Scratch memory in bytes per"
echo "voxel. Where several algorithms offer a problem, the first one is the default. Host to host: wall time from an image to a"
echo "label map in memory that is not page-locked; its floor moves as many bytes between page-locked memory and the device."
echo
./brickccl-gpu-benchmark "${masks[@]}" --noise --size 512 > benchmark.csv
./brickccl-gpu-benchmark --size 1024 >> benchmark.csv
./brickccl-gpu-benchmark --kinds 512 "${segments[@]}" >> benchmark.csv
./brickccl-gpu-benchmark --host 512 >> benchmark.csv
./brickccl-gpu-benchmark --noise --flat 8192 >> benchmark.csv
./brickccl-gpu-benchmark --connectivity 26 --extent 256 256 256 --extent 512 256 256 --extent 512 512 512 \
  --extent 1024 1024 512 --extent 1024 1024 1024 --extent 2048 1024 1024 --extent 2048 2048 1024 >> benchmark.csv
awk -F, '
  NR == 1 { print "| input | extent | connectivity | algorithm | ms | x floor | components | scratch |"; print "| --- | --- | --- | --- | --- | --- | --- | --- |" }
  /^input,/ || (/^random/ && !/,(26|8),/) || /,BrickMerging[, ]/ || /Merging with / || /^slices;/ { next }
  { printf "|"; for (i = 1; i <= 8; ++i) printf " %s |", $i; print "" }' benchmark.csv
echo
echo "What follows labeling, on the device: the sums of the component table's default columns, other numbers, label lists; with"
echo "\"alone\" no label map is made. How many times labeling with a map it all takes:"
echo
awk -F, '
  BEGIN { print "| input | extent | connectivity | what | ms | x floor | x labeling |"; print "| --- | --- | --- | --- | --- | --- | --- |" }
  /,BundleMerging with / { sub(/.*Merging /, "", $4); printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $8 }' benchmark.csv
echo
echo "Slices that are labeled each on their own, and how many times the volume at 26 neighbors they take:"
echo
./brickccl-gpu-benchmark --slices 512 > slices.csv
awk -F, '
  BEGIN { print "| input | extent | connectivity | algorithm | ms | x volume |"; print "| --- | --- | --- | --- | --- | --- |" }
  /^slices;/ { sub(/^slices; /, "", $1); printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }' benchmark.csv slices.csv
if python3 -c 'import cupy' 2> /dev/null; then
  echo
  echo "Other programs on the same GPU and voxels (\`peers.py\`):"
  echo
  python3 peers.py benchmark.csv ./brickccl "${files[@]}"
fi
