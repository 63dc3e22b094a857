#!/usr/bin/env bash
# Installs what is missing, builds everything and passes all tests.
#   Testing/run.sh [CTEST OPTIONS]
set -euo pipefail
cd "$(dirname "$0")/.."
Testing/install-packages.sh
cmake --preset release -Wno-dev --log-level=WARNING
cmake --build --preset release
ctest --preset release -j "$(nproc)" "$@"
