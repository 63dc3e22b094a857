#ifndef BRICKCCL_FILES_BZIP2_H
#define BRICKCCL_FILES_BZIP2_H

#include "BrickCCL/Host/Progress.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Decompresses bzip2 data of one or several streams. Appends `count` of the bytes, from the byte `skipped` on, to
 *  `output`. The output grows as bytes come, since the size that a header states need not be true.
 *  \param name  what is compressed, for errors: "'a.raw.bz2'".
 *  \throws Error if the data are damaged (each block has a checksum), if there are fewer or more bytes, or if something
 *  else follows them. */
void AddBunzipped(const unsigned char *        data,
                  std::size_t                  size,
                  const std::string &          name,
                  std::uint64_t                skipped,
                  std::size_t                  count,
                  const Progress &             progress,
                  std::vector<unsigned char> & output);

} // namespace brickccl::files

#endif
