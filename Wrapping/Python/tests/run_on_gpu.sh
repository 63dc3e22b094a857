#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the package with CUDA and passes the tests of arrays on GPUs, on a machine without internet:
#     Wrapping/Python/tests/run_on_gpu.sh WHEELS [OPTIONS OF PYTEST]
# WHEELS is a folder of wheels, which are carried there:
#     pip download --only-binary :all: --python-version 3.12 -d WHEELS nanobind nanobind-backend scikit-build-core pytest
# The machine has CUDA 12.8 or later, CMake, Ninja, a C++ compiler, Highway (or its folder in CMAKE_PREFIX_PATH), Python 3.12,
# numpy and CuPy, PyTorch or both; tests of libraries that it has not are skipped, JAX among them. Nothing is installed: what
# is built and carried goes to build/python-on-gpu.
set -euo pipefail
wheels=$(realpath "${1:?give the folder of wheels}")
shift
cd "$(dirname "$0")/../../.."
work=$PWD/build/python-on-gpu
site=$work/site
mkdir -p "$work"
python3 -m pip install --quiet --no-index --find-links "$wheels" --no-deps --upgrade --target "$site" "$wheels"/*.whl
export PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1
# 90 is Hopper, the one that is there; all others take longer to compile.
export CUDAARCHS=${CUDAARCHS:-90-real}
python3 -m pip wheel ./Wrapping/Python --no-deps --no-build-isolation --wheel-dir "$work/wheel" \
  --config-settings "build-dir=$work/cmake" --config-settings cmake.define.BRICKCCL_PYTHON_CUDA=ON
python3 -m pip install --quiet --no-index --no-deps --upgrade --target "$site" "$work"/wheel/brickccl-*.whl
cd "$work"
python3 - <<'LIBRARIES'
import importlib

import brickccl

print(brickccl.info()["build"], brickccl.info()["devices"])
for name in ("numpy", "cupy", "torch", "jax"):
    try:
        print(name, importlib.import_module(name).__version__)
    except ImportError:
        print(name, "is not there")
LIBRARIES
tests=$OLDPWD/Wrapping/Python/tests
python3 -m pytest -p no:cacheprovider --rootdir "$tests" -ra "$tests"/test_device.py "$tests"/test_device_on_host.py \
  "$tests"/test_device_slabs.py "$@"
