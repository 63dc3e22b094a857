#ifndef BRICKCCL_FILES_DEFLATESMALL_H
#define BRICKCCL_FILES_DEFLATESMALL_H

#include "BrickCCL/Files/SymbolInflater.h"

#include <cstddef>
#include <memory>
#include <vector>

struct libdeflate_compressor;

namespace brickccl::files
{

/** Compresses pieces one after the other as small as zlib's level 6 does, a third as fast as the fast way. It needs
 *  libdeflate. */
class SmallCompressor
{
public:
  /** Compresses `size` bytes and appends them to `output` as whole bytes. Only the last piece ends the stream. */
  void Compress(const unsigned char * bytes, std::size_t size, bool isLast, std::vector<unsigned char> & output);

private:
  struct Free
  {
    void operator()(libdeflate_compressor * compressor) const;
  };

  /** Lets more blocks follow the `plain` bytes whose compressed ones begin at `begin`, and which libdeflate has ended.
   */
  void LeaveOpen(std::size_t begin, std::size_t plain, std::vector<unsigned char> & output);

  std::unique_ptr<libdeflate_compressor, Free> m_Compressor;
  SymbolInflater                               m_Blocks;
};

} // namespace brickccl::files

#endif
