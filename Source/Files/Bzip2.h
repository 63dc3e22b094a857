#ifndef BRICKCCL_FILES_BZIP2_H
#define BRICKCCL_FILES_BZIP2_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Decompresses bytes of bzip2, one stream or several, and adds those from `skipped` on, `count` of them, to `output`,
 *  which grows as they come: what a header says of their number need not be true.
 *  \param name  what is compressed, for errors: "'a.raw.bz2'".
 *  \throws Error if they are damaged (each block has a checksum), if there are fewer, more, or if something else
 * follows them. */
void AddBunzipped(const unsigned char *        data,
                  std::size_t                  size,
                  const std::string &          name,
                  std::uint64_t                skipped,
                  std::size_t                  count,
                  std::vector<unsigned char> & output);

} // namespace brickccl::files

#endif
