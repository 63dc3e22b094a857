#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the CUDA tests, the benchmark and the command into build/gpu-bundle/gpu-bundle, a folder that runs on a GPU
# machine with nothing but the driver: copy it there and start run.sh in it.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset gpu-bundle -Wno-dev --log-level=WARNING
cmake --build --preset gpu-bundle
