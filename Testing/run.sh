#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds everything, passes all tests, and lists the slowest and the skipped ones.
#   Testing/run.sh [CTEST OPTIONS]
set -euo pipefail
cd "$(dirname "$0")/.."
Testing/install-packages.sh
# Objects of the preset quick serve this build, too.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset release -Wno-dev --log-level=WARNING
cmake --build --preset release
tests=$PWD/build/release/tests.xml
rm -f "$tests"
ctest --preset release -j "$(nproc)" --output-junit "$tests" --test-output-size-passed 1000000 "$@" || failed=$?
[ ! -e "$tests" ] || Testing/summarize_tests.py "$tests"
exit "${failed:-0}"
