# SPDX-License-Identifier: Apache-2.0
# The scripts next to it read this: SOURCE_DATE_EPOCH, the moment that the files of a release have, is that of the commit, outside
# a checkout that of the sources. The same files then have the same bytes.
folder=$(dirname "${BASH_SOURCE[0]}")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$folder" log -1 --format=%ct 2>/dev/null ||
  stat -c %Y "$folder/Engine/Core/Version.h")}
