// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_INFLATEONTHREADS_H
#define BRICKCCL_FILES_CODECS_INFLATEONTHREADS_H

#include "BrickCCL/Files/Codecs/Inflate.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace brickccl::files
{

/** Decompresses one gzip member or zlib stream on several threads: `skip` bytes that are dropped, and `outputSize`
 *  bytes.
 *
 *  The compressed bytes are cut into chunks, each from a place on where a block seems to begin (FindDeflateBlock). A
 *  block refers to up to 32768 bytes before it, which a thread does not know when it begins in the middle. So it
 *  decompresses into symbols that are a byte or a place in that window (SymbolInflater), until the last 32768 are all
 *  bytes; from there on it writes bytes. Once the chunk before is known, places become bytes.
 *
 *  \return whether it all fitted: chunks end where the next ones begin, there are as many bytes as asked for, the
 *  checksum is right, and nothing but zeros follows. If not, the bytes may be damaged, or just unsuited (several
 *  members, small, no places found): whoever asks then decompresses on one thread, which finds out. */
bool InflateOnThreads(const unsigned char * data,
                      std::size_t           size,
                      Wrapper               wrapper,
                      std::uint64_t         skip,
                      std::byte *           output,
                      std::size_t           outputSize,
                      const HostContext &   context);

/** Decompresses all bytes of a gzip member or several, or a zlib stream: `skip` bytes that are dropped, and
 *  `outputSize` bytes. It takes several threads where that is faster. \param name  what is compressed, for errors
 *  \throws Error as Inflater does, also if there are more bytes */
void InflateAll(const unsigned char * data,
                std::size_t           size,
                Wrapper               wrapper,
                const std::string &   name,
                std::uint64_t         skip,
                std::byte *           output,
                std::size_t           outputSize,
                const HostContext &   context);

} // namespace brickccl::files

#endif
