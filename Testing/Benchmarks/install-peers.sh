#!/usr/bin/env bash
# Installs the peers of the benchmarks that come as Python packages into build/peers; run with build/peers/bin/python.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 -m venv build/peers
build/peers/bin/pip install --quiet numpy scipy connected-components-3d scikit-image opencv-python-headless matplotlib
