#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Highway as a static library for wheels, where the system has none:
#   build-highway.sh SOURCES PREFIX
set -euo pipefail
cmake -S "$1" -B "$1/build" -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
  -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_INSTALL=ON \
  -DCMAKE_INSTALL_PREFIX="$2"
cmake --build "$1/build" --config Release --target install --parallel 2
