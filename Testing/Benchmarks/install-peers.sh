#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the peers of the benchmarks that come as Python packages, or the packages that are named, into build/peers; run
# with build/peers/bin/python.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 -m venv build/peers
packages=("$@")
[ ${#packages[@]} -gt 0 ] ||
  packages=(numpy scipy connected-components-3d "scikit-image<0.27" opencv-python-headless matplotlib)
build/peers/bin/pip install --quiet "${packages[@]}"
