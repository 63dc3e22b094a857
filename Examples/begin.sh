# SPDX-License-Identifier: Apache-2.0
# What every run.sh here begins with: it finds the command and goes to the folder of the results, which is the script's
# first argument or build/examples/NAME. BRICKCCL, if set, is the command to use. A script that can do without the command
# sets needs_command=no.
set -euo pipefail
example=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$example/../.." && pwd)
[ -z "${BRICKCCL:-}" ] || PATH=$(cd "$(dirname "$BRICKCCL")" && pwd):$PATH
PATH=$PATH:$repository/build/release/bin:$repository/build/quick/bin
if [ "${needs_command:-yes}" = yes ] && ! command -v brickccl >/dev/null; then
  echo "brickccl is neither on the PATH nor in $repository/build; Examples/quickstart.sh builds it" >&2
  exit 1
fi
results=${1:-$repository/build/examples/$(basename "$example")}
mkdir -p "$results"
cd "$results"
