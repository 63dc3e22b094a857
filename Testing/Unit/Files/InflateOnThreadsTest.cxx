// SPDX-License-Identifier: Apache-2.0
// Decompression on several threads, compared with zlib.

#include "Compressed.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Codecs/DeflateBlocks.h"
#include "BrickCCL/Files/Codecs/InflateOnThreads.h"
#include "BrickCCL/Files/Codecs/SymbolInflater.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace brickccl::files
{
namespace
{

/** A mask of random runs: nearly all bytes are copies of bytes before them. */
Plain
MakeMask(std::size_t voxels, unsigned seed)
{
  std::mt19937 random(seed);
  Plain        bytes(voxels);
  for (std::size_t i = 0; i < voxels;)
  {
    const unsigned char value = random() % 2;
    for (auto left = 1 + random() % 40; left > 0 && i < voxels; --left)
    {
      bytes[i++] = value;
    }
  }
  return bytes;
}

HostContext
Threads(int threads)
{
  HostContext context;
  context.threads = threads;
  return context;
}

void
ExpectSame(const Plain & plain, const Plain & packed, Wrapper wrapper, std::size_t skip, int threads)
{
  Plain      output(plain.size() - skip, 0xcd);
  const bool fits = InflateOnThreads(packed.data(),
                                     packed.size(),
                                     wrapper,
                                     skip,
                                     reinterpret_cast<std::byte *>(output.data()),
                                     output.size(),
                                     Threads(threads));
  EXPECT_TRUE(fits) << threads << " threads, " << packed.size() << " bytes";
  EXPECT_TRUE(std::equal(output.begin(), output.end(), plain.begin() + static_cast<std::ptrdiff_t>(skip)));
}

TEST(InflateOnThreads, GivesTheBytesOfEveryKindOfData)
{
  unsigned seed = 1;
  for (const Plain & plain : { MakeScan(1500000, 1), MakeMask(16000000, 2) })
  {
    for (const int level : { 1, 6 })
    {
      for (const Wrapper wrapper : { Wrapper::Gzip, Wrapper::Zlib })
      {
        const Plain packed = Compressed(plain, wrapper, level);
        ExpectSame(plain, packed, wrapper, 0, 2 + static_cast<int>(seed++ % 6));
      }
    }
  }
}

TEST(InflateOnThreads, DropsWhatComesFirst)
{
  const Plain plain = MakeScan(1500000, 3);
  ExpectSame(plain, Compressed(plain, Wrapper::Gzip, 6), Wrapper::Gzip, 352, 4);
  ExpectSame(plain, Compressed(plain, Wrapper::Gzip, 6), Wrapper::Gzip, 32768, 3);
}

TEST(InflateOnThreads, TakesLongCopiesAcrossChunks)
{
  // A pattern of 32000 bytes again and again, so that nothing but the first bytes is ever written out.
  Plain        plain(std::size_t{ 16 } << 20);
  std::mt19937 random(7);
  for (std::size_t i = 0; i < plain.size(); ++i)
  {
    const bool isNew = i < 32000 || random() % 512 == 0;
    plain[i] = isNew ? static_cast<unsigned char>(random()) : plain[i - 32000];
  }
  ExpectSame(plain, Compressed(plain, Wrapper::Gzip, 6, Z_DEFAULT_STRATEGY, 4), Wrapper::Gzip, 0, 4);
}

/** The error of InflateAll for damaged bytes; empty if there is none. */
std::string
Refusal(const Plain & packed, std::size_t size, const Plain & plain)
{
  Plain output(size);
  try
  {
    InflateAll(packed.data(),
               packed.size(),
               Wrapper::Gzip,
               "'x'",
               0,
               reinterpret_cast<std::byte *>(output.data()),
               size,
               Threads(4));
  }
  catch (const Error & error)
  {
    return error.what();
  }
  EXPECT_TRUE(std::equal(output.begin(), output.end(), plain.begin())) << "taken, so it must be right";
  return "";
}

TEST(InflateAll, SaysWhatIsWrongAsOneThreadDoes)
{
  const Plain plain = MakeScan(1500000, 4);
  const Plain packed = Compressed(plain, Wrapper::Gzip, 6);
  EXPECT_EQ(Refusal(packed, plain.size(), plain), "");
  EXPECT_NE(Refusal({ packed.begin(), packed.end() - 100000 }, plain.size(), plain).find("truncated"),
            std::string::npos);
  EXPECT_NE(Refusal(packed, plain.size() - 1, plain).find("more bytes"), std::string::npos);
  Plain damaged = packed;
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_NE(Refusal(damaged, plain.size(), plain).find("checksum"), std::string::npos);
  std::mt19937 random(11);
  for (int i = 0; i < 20; ++i)
  {
    damaged = packed;
    damaged[100 + random() % (damaged.size() - 100)] ^= static_cast<unsigned char>(1 + random() % 255);
    EXPECT_NE(Refusal(damaged, plain.size(), plain), "");
  }
}

TEST(InflateAll, TakesSeveralMembersStoredBlocksAndZerosAtTheEnd)
{
  const Plain plain = MakeScan(1500000, 5);
  const auto  half = plain.begin() + 1500000;
  Plain       members = Compressed({ plain.begin(), half }, Wrapper::Gzip, 6);
  const Plain second = Compressed({ half, plain.end() }, Wrapper::Gzip, 6);
  members.insert(members.end(), second.begin(), second.end());
  EXPECT_EQ(Refusal(members, plain.size(), plain), "");
  EXPECT_EQ(Refusal(Compressed(plain, Wrapper::Gzip, 0), plain.size(), plain), "") << "nothing but stored blocks";
  EXPECT_EQ(Refusal(Compressed(plain, Wrapper::Gzip, 6, Z_FIXED), plain.size(), plain), "") << "no codes of their own";
  Plain padded = Compressed(plain, Wrapper::Gzip, 6);
  padded.resize(padded.size() + 1000);
  EXPECT_EQ(Refusal(padded, plain.size(), plain), "");
  padded.back() = 1;
  EXPECT_NE(Refusal(padded, plain.size(), plain).find("something else"), std::string::npos);
}

/** Bytes of which some parts cannot be compressed and others are patterns of 1 to 20 bytes. */
Plain
MakePatterns(std::size_t size, unsigned seed)
{
  std::mt19937 random(seed);
  Plain        bytes;
  while (bytes.size() < size)
  {
    const std::size_t period = 1 + random() % 20;
    const std::size_t length = random() % 600;
    for (std::size_t i = 0; i < length; ++i)
    {
      const bool isNew = i < period || period == 20;
      bytes.push_back(isNew ? static_cast<unsigned char>(random()) : bytes[bytes.size() - period]);
    }
  }
  bytes.resize(size);
  return bytes;
}

TEST(SymbolInflater, ReadsEveryKindOfBlock)
{
  constexpr std::size_t headerBytes = 2, size = 300000;
  const Plain           plain = MakePatterns(size, 9);
  SymbolInflater        inflater;
  for (const int level : { 0, 1, 6, 9 })
  {
    for (const int strategy : { Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE })
    {
      for (const int memory : { 1, 8 })
      {
        const Plain packed = Compressed(plain, Wrapper::Zlib, level, strategy, memory);
        inflater.Begin(packed.data(), packed.size(), 8 * headerBytes);
        while (!inflater.HasFinished() && inflater.ReadBlock(size))
        {}
        EXPECT_TRUE(inflater.HasFinished()) << level << ' ' << strategy << ' ' << memory;
        EXPECT_EQ((inflater.Position() + 7) / 8 + 4, packed.size()) << "only the checksum is left";
        ASSERT_EQ(inflater.Size(), size);
        EXPECT_TRUE(std::equal(plain.begin(), plain.end(), inflater.Symbols()));
        EXPECT_EQ(inflater.IsSettled(), true);
        inflater.Begin(packed.data(), packed.size(), 8 * headerBytes);
        while (!inflater.HasFinished() && inflater.ReadBlock(size / 2))
        {}
        EXPECT_FALSE(inflater.HasFinished()) << "there may be half as many symbols";
      }
    }
  }
}

TEST(SymbolInflater, NamesPlacesOfTheUnknownWindow)
{
  const Plain plain = MakeMask(1000000, 10);
  const Plain packed = Compressed(plain, Wrapper::Zlib, 6, Z_DEFAULT_STRATEGY, 5);
  const auto  place = FindDeflateBlock(packed.data(), packed.size(), 4 * packed.size(), 8 * packed.size());
  ASSERT_TRUE(place);
  SymbolInflater inflater;
  inflater.Begin(packed.data(), packed.size(), *place);
  while (!inflater.HasFinished() && inflater.ReadBlock(plain.size()))
  {}
  ASSERT_TRUE(inflater.HasFinished());
  ASSERT_LT(inflater.Size(), plain.size() - WindowSize);
  const auto  begin = plain.end() - static_cast<std::ptrdiff_t>(inflater.Size());
  std::size_t places = 0;
  for (std::size_t i = 0; i < inflater.Size(); ++i)
  {
    const std::uint16_t symbol = inflater.Symbols()[i];
    const bool          isPlace = symbol >= SymbolInflater::FirstPlace;
    const auto          before = static_cast<std::ptrdiff_t>(WindowSize + SymbolInflater::FirstPlace - symbol);
    places += isPlace ? 1 : 0;
    ASSERT_EQ(isPlace ? *(begin - before) : symbol, begin[static_cast<std::ptrdiff_t>(i)]) << i;
  }
  EXPECT_GT(places, 0u);
}

TEST(FindDeflateBlock, FindsBlocksAndNothingInNoise)
{
  const Plain packed = Compressed(MakeScan(1000000, 6), Wrapper::Gzip, 6);
  EXPECT_EQ(FindDeflateBlock(packed.data(), packed.size(), 0, 8 * packed.size()), std::uint64_t{ 80 })
    << "after a header of ten bytes";
  Plain        noise(100000);
  std::mt19937 random(8);
  std::generate(noise.begin(), noise.end(), [&] { return static_cast<unsigned char>(random()); });
  EXPECT_EQ(FindDeflateBlock(noise.data(), noise.size(), 0, 8 * noise.size()), std::nullopt);
  EXPECT_EQ(FindDeflateBlock(packed.data(), 12, 80, 96), std::nullopt) << "cut within the header of a block";
}

} // namespace
} // namespace brickccl::files
