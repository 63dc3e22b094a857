# SPDX-License-Identifier: Apache-2.0
# Sets SOURCE_DATE_EPOCH, the time of all files of a release, to the time of the commit, or of the sources outside of a checkout.
# The same files then have the same bytes. The scripts next to this one read it.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "${BASH_SOURCE[0]%/*}" log -1 --format=%ct 2>/dev/null ||
  stat -c %Y "${BASH_SOURCE[0]%/*}/Engine/Core/Version.h")}
