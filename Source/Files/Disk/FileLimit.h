// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_DISK_FILELIMIT_H
#define BRICKCCL_FILES_DISK_FILELIMIT_H

namespace brickccl
{

/** Makes a limit on the size of files (ulimit -f) an error of writing, as a full disk is. Otherwise it ends the
 * process. */
void MakeFileLimitAnError();

} // namespace brickccl

#endif
