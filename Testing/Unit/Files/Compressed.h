// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_FILES_COMPRESSED_H
#define BRICKCCL_TESTING_FILES_COMPRESSED_H

#include "BrickCCL/Files/Codecs/Inflate.h"

#include <gtest/gtest.h>

#include <zlib.h>

#include <cstddef>
#include <random>
#include <vector>

/** Bytes, and how zlib compresses them. */
namespace brickccl::files
{

using Plain = std::vector<unsigned char>;

/** Compresses with zlib. The less memory it has, the smaller are the blocks. */
inline Plain
Compressed(const Plain & plain, Wrapper wrapper, int level, int strategy = Z_DEFAULT_STRATEGY, int memory = 8)
{
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, wrapper == Wrapper::Gzip ? 31 : 15, memory, strategy), Z_OK);
  Plain packed(deflateBound(&stream, plain.size()) + 32);
  stream.next_in = const_cast<unsigned char *>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/** 16-bit values as in a scan: air without noise, a part with noise. */
inline Plain
MakeScan(std::size_t values, unsigned seed)
{
  std::mt19937 random(seed);
  Plain        bytes(2 * values);
  for (std::size_t i = 0; i < values; ++i)
  {
    const bool     isPart = i / 300 % 4 != 0;
    const unsigned value = isPart ? 1000 + random() % 64 : 7;
    bytes[2 * i] = static_cast<unsigned char>(value);
    bytes[2 * i + 1] = static_cast<unsigned char>(value >> 8);
  }
  return bytes;
}

} // namespace brickccl::files

#endif
