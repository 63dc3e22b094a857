// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace brickccl::files
{

/** The wrapper around deflated bytes: gzip (one or several members), zlib, or none, which has no checksum. */
enum class Wrapper
{
  Gzip,
  Zlib,
  None
};

/** Decompresses bytes piece by piece and verifies checksums. Errors say that the data are damaged or truncated. */
class Inflater
{
public:
  /** \param name  what is compressed, for errors: "'a.raw.gz'". */
  Inflater(const unsigned char * data, std::size_t size, Wrapper wrapper, std::string name);
  ~Inflater();
  Inflater(const Inflater &) = delete;
  Inflater & operator=(const Inflater &) = delete;

  /** Writes the next `size` bytes. \throws Error if there are fewer or if they are damaged. */
  void Read(void * output, std::size_t size);

  /** Writes up to `size` bytes. \return their number, which is less than `size` only at the end. */
  std::size_t ReadSome(void * output, std::size_t size);

  /** How many of the compressed bytes have not been used. */
  std::size_t Left() const;

  /** \throws Error unless everything has been read and the checksum is right. Zeros after the compressed data are
   *  allowed, as tapes and some writers leave them. \param hasMore  whether the rest is read first, and dropped */
  void Finish(bool hasMore = false);

private:
  struct State;
  std::unique_ptr<State> m_State;
};

/** The largest number of bytes that `size` compressed bytes can hold. A header that states more is wrong. */
std::uint64_t MaximumInflatedSize(std::uint64_t size);

} // namespace brickccl::files
