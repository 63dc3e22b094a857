# SPDX-License-Identifier: Apache-2.0
# The scripts next to it read this: SOURCE_DATE_EPOCH, the moment that the files of a release have, is that of the commit, outside
# a checkout that of the sources. The same files then have the same bytes.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "${BASH_SOURCE[0]%/*}" log -1 --format=%ct 2>/dev/null ||
  stat -c %Y "${BASH_SOURCE[0]%/*}/Engine/Core/Version.h")}
