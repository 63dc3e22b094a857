#!/usr/bin/env bash
# Builds the CUDA tests and the benchmark into build/gpu-bundle, a folder that runs on a GPU machine with nothing but the
# driver: copy it there and start run.sh in it.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset core-cuda -Wno-dev --log-level=WARNING
cmake --build --preset core-cuda
bundle=build/gpu-bundle
rm -rf "$bundle"
mkdir -p "$bundle"
for program in Conformance Unit Device brickccl-gpu-benchmark; do
  cp "build/core-cuda/bin/$program" "$bundle/"
  strip "$bundle/$program"
done
cp Testing/gpu/run.sh "$bundle/"
# What the results are results of.
git ls-files 'Source/*.cu' 'Source/*.cuh' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16 > "$bundle/sources.sha256"
du -sh "$bundle"
