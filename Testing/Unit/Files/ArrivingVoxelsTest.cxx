// Who listens to a compressed file being read hears of every byte of the final voxels, in order and once, or of nothing
// that holds.

#include "Compressed.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/Inflate.h"
#include "BrickCCL/Host/ArrivingBytes.h"
#include "BrickCCL/Host/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace brickccl::files
{
namespace
{

/** Takes bytes as they arrive, on a thread of its own. */
class Taker
{
public:
  explicit Taker(std::shared_ptr<ArrivingBytes> bytes)
    : m_Bytes(std::move(bytes))
    , m_Thread([this] { Run(); })
  {}
  ~Taker()
  {
    End();
  }

  /** The bytes that were taken. Waits for all if they were told of. */
  const std::vector<std::byte> &
  End()
  {
    if (m_Thread.joinable())
    {
      if (m_Bytes->Count() == 0)
      {
        m_Bytes->Stop();
      }
      m_Thread.join();
    }
    return m_Taken;
  }

private:
  void
  Run()
  {
    m_Taken.reserve(m_Bytes->AwaitSize());
    while (m_Bytes->Take(m_Taken.size(), 100003, [this](const std::byte * bytes, std::size_t size) {
      m_Taken.insert(m_Taken.end(), bytes, bytes + size);
    }) > 0)
    {}
  }

  std::shared_ptr<ArrivingBytes> m_Bytes;
  std::vector<std::byte>         m_Taken;
  std::thread                    m_Thread;
};

struct Case
{
  std::string file;
  Plain       content;
  /** Whether the voxels are final as they are decompressed. */
  bool isTold;
};

void
Append(Plain & to, const Plain & more)
{
  to.insert(to.end(), more.begin(), more.end());
}

Plain
BytesOf(const std::string & text)
{
  return { text.begin(), text.end() };
}

/** Three sizes, as text, whose product with the values of a voxel is the number of values. */
struct Sizes
{
  std::size_t x;
  std::size_t y;
  std::size_t z;

  std::string
  ToString() const
  {
    return std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z);
  }
  std::size_t
  Voxels() const
  {
    return x * y * z;
  }
};

Case
NrrdCase(const Sizes & sizes, const std::string & type, std::size_t size, const std::string & more, bool isTold)
{
  const bool  isVector = more.find("kinds") != std::string::npos;
  std::string header = "NRRD0004\ntype: " + type + "\nencoding: gzip\n" + more;
  if (more.find("kinds: vector") != std::string::npos)
  {
    header += "dimension: 4\nsizes: 2 " + sizes.ToString() + "\n";
  }
  else if (isVector)
  {
    header += "dimension: 4\nsizes: " + sizes.ToString() + " 2\n";
  }
  else
  {
    header += "dimension: 3\nsizes: " + sizes.ToString() + "\n";
  }
  header += more.find("endian") == std::string::npos ? "endian: little\n\n" : "\n";
  const bool skips = more.find("byte skip") != std::string::npos;
  const auto count = sizes.Voxels() * size * (isVector ? 2 : 1) + (skips ? 100 : 0);
  Case       made{ "a.nrrd", BytesOf(header), isTold };
  Plain      values = MakeScan(count / 2 + 1, 1);
  values.resize(count);
  Append(made.content, Compressed(values, Wrapper::Gzip, 6));
  return made;
}

Case
MetaCase(const Sizes & sizes, const std::string & type, std::size_t size, const std::string & more, bool isTold)
{
  Case  made{ "a.mha",
             BytesOf("ObjectType = Image\nNDims = 3\nBinaryData = True\nCompressedData = True\n" + more +
                     "DimSize = " + sizes.ToString() + "\nElementType = " + type + "\nElementDataFile = LOCAL\n"),
             isTold };
  Plain values = MakeScan(sizes.Voxels() * size / 2 + 1, 2);
  values.resize(sizes.Voxels() * size);
  Append(made.content, Compressed(values, Wrapper::Zlib, 6));
  return made;
}

/** \param slope  scl_slope \param swapped  whether the file has the other order of bytes */
Case
NiftiCase(const Sizes & sizes, std::int16_t code, std::size_t size, float slope, bool swapped, bool isTold)
{
  Plain      bytes(352);
  const auto put = [&](std::size_t place, auto value) {
    std::memcpy(bytes.data() + place, &value, sizeof(value));
    if (swapped)
    {
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(place),
                   bytes.begin() + static_cast<std::ptrdiff_t>(place + sizeof(value)));
    }
  };
  put(0, std::int32_t{ 348 });
  put(40, std::int16_t{ 3 });
  put(42, static_cast<std::int16_t>(sizes.x));
  put(44, static_cast<std::int16_t>(sizes.y));
  put(46, static_cast<std::int16_t>(sizes.z));
  put(70, code);
  put(72, static_cast<std::int16_t>(8 * size));
  for (std::size_t axis = 1; axis <= 3; ++axis)
  {
    put(76 + 4 * axis, 1.0f);
  }
  put(108, 352.0f);
  put(112, slope);
  std::memcpy(bytes.data() + 344, "n+1", 4);
  Plain values = MakeScan(sizes.Voxels() * size / 2 + 1, 3);
  values.resize(sizes.Voxels() * size);
  Append(bytes, values);
  return { "a.nii.gz", Compressed(bytes, Wrapper::Gzip, 6), isTold };
}

std::vector<Case>
CasesOf(const Sizes & sizes)
{
  return {
    NrrdCase(sizes, "uint8", 1, "", true),
    NrrdCase(sizes, "int16", 2, "", true),
    NrrdCase(sizes, "float", 4, "byte skip: 100\n", true),
    NrrdCase(sizes, "int16", 2, "endian: big\n", false),
    NrrdCase(sizes, "uint8", 1, "endian: big\n", true),
    NrrdCase(sizes, "uint8", 1, "kinds: vector domain domain domain\n", true),
    NrrdCase(sizes, "uint8", 1, "kinds: domain domain domain 2-vector\n", false),
    MetaCase(sizes, "MET_UCHAR", 1, "", true),
    MetaCase(sizes, "MET_SHORT", 2, "", true),
    MetaCase(sizes, "MET_FLOAT", 4, "", true),
    MetaCase(sizes, "MET_SHORT", 2, "BinaryDataByteOrderMSB = True\n", false),
    MetaCase(sizes, "MET_SHORT", 2, "ElementToIntensityFunctionSlope = 2\n", false),
    NiftiCase(sizes, 2, 1, 0, false, true),
    NiftiCase(sizes, 4, 2, 1, false, true),
    NiftiCase(sizes, 16, 4, 0, false, true),
    NiftiCase(sizes, 2, 1, 0, true, true),
    NiftiCase(sizes, 4, 2, 0, true, false),
    NiftiCase(sizes, 4, 2, 2, false, false),
  };
}

class ArrivingVoxels : public ::testing::Test
{
protected:
  void
  Write(const Case & made)
  {
    m_Path = (m_Folder.Path() / made.file).string();
    std::ofstream file(m_Path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(made.content.data()), static_cast<std::streamsize>(made.content.size()));
  }

  LoadedImage
  Read(int threads, std::shared_ptr<ArrivingBytes> arriving) const
  {
    ReadOptions options;
    options.threads = threads;
    options.arriving = std::move(arriving);
    return ReadImageFile(m_Path, options);
  }

  /** What is wrong with the file; empty if it is read. */
  std::string
  Refusal(int threads, std::shared_ptr<ArrivingBytes> arriving) const
  {
    try
    {
      (void)Read(threads, std::move(arriving));
      return {};
    }
    catch (const Error & error)
    {
      return error.what();
    }
  }

private:
  TemporaryFolder m_Folder{ std::filesystem::temp_directory_path() };
  std::string     m_Path;
};

TEST_F(ArrivingVoxels, AreTheFinalOnesOfEveryFormatTypeAndOrderOfBytes)
{
  for (const Sizes & sizes : { Sizes{ 7, 5, 3 }, Sizes{ 130, 110, 100 } })
  {
    for (const Case & made : CasesOf(sizes))
    {
      Write(made);
      const LoadedImage expected = Read(1, nullptr);
      for (const int threads : { 1, 2, 5 })
      {
        const auto        bytes = std::make_shared<ArrivingBytes>();
        Taker             taker(bytes);
        const LoadedImage image = Read(threads, bytes);
        const auto &      taken = taker.End();
        ASSERT_EQ(image.voxels.Size(), expected.voxels.Size());
        ASSERT_EQ(std::memcmp(image.voxels.Data(), expected.voxels.Data(), image.voxels.Size()), 0);
        const auto        shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(made.content.size(), 200));
        const std::string which(made.content.begin(), made.content.begin() + shown);
        ASSERT_EQ(bytes->Are(image.voxels.Data(), image.voxels.Size()), made.isTold) << made.file << ' ' << which;
        ASSERT_EQ(taken.size(), made.isTold ? image.voxels.Size() : 0) << made.file << ' ' << which;
        ASSERT_TRUE(std::equal(taken.begin(), taken.end(), image.voxels.Data()));
      }
    }
  }
}

TEST_F(ArrivingVoxels, OfDamagedAndCutFilesAreTakenBackWithTheUsualError)
{
  std::mt19937 random(1);
  for (const Case & made : CasesOf({ 130, 110, 100 }))
  {
    for (int turn = 0; turn < 6; ++turn)
    {
      Case        damaged = made;
      std::size_t place = damaged.content.size() / 4 + random() % (damaged.content.size() * 3 / 4);
      place = turn == 0 ? damaged.content.size() - 6 : place;
      if (turn % 2 == 0)
      {
        damaged.content[place] ^= static_cast<unsigned char>(1 + random() % 255);
      }
      else
      {
        damaged.content.resize(place);
      }
      Write(damaged);
      const std::string expected = Refusal(1, nullptr);
      EXPECT_NE(expected, "");
      for (const int threads : { 1, 3 })
      {
        const auto bytes = std::make_shared<ArrivingBytes>();
        Taker      taker(bytes);
        ASSERT_EQ(Refusal(threads, bytes), expected);
        ASSERT_FALSE(made.isTold && bytes->AwaitSize() > 0);
        ASSERT_EQ(bytes->Count() > 0 ? bytes->Take(0, 1, [](const std::byte *, std::size_t) {}) : 0, 0u);
      }
    }
  }
}

TEST_F(ArrivingVoxels, OfSeveralMembersAreAllThereOrTakenBack)
{
  const Sizes sizes{ 130, 110, 100 };
  Case        made{ "a.nrrd",
             BytesOf("NRRD0004\ntype: int16\nencoding: gzip\nendian: little\ndimension: 3\nsizes: " + sizes.ToString() +
                     "\n\n"),
             true };
  const Plain values = MakeScan(sizes.Voxels(), 4);
  const auto  half = values.begin() + static_cast<std::ptrdiff_t>(sizes.Voxels());
  Append(made.content, Compressed({ values.begin(), half }, Wrapper::Gzip, 6));
  Append(made.content, Compressed({ half, values.end() }, Wrapper::Gzip, 6));
  Write(made);
  for (const int threads : { 1, 4 })
  {
    const auto        bytes = std::make_shared<ArrivingBytes>();
    Taker             taker(bytes);
    const LoadedImage image = Read(threads, bytes);
    const auto &      taken = taker.End();
    ASSERT_EQ(std::memcmp(image.voxels.Data(), values.data(), values.size()), 0);
    if (bytes->Are(image.voxels.Data(), image.voxels.Size()))
    {
      ASSERT_EQ(taken.size(), values.size());
      ASSERT_EQ(std::memcmp(taken.data(), values.data(), values.size()), 0);
    }
    EXPECT_TRUE(threads > 1 || bytes->Are(image.voxels.Data(), image.voxels.Size()));
  }
}

TEST_F(ArrivingVoxels, AreTakenBackBeforeTheirMemoryGoes)
{
  Write(CasesOf({ 130, 110, 100 })[0]);
  const auto  bytes = std::make_shared<ArrivingBytes>();
  LoadedImage image = Read(2, bytes);
  const auto  data = image.voxels.Data();
  const auto  size = image.voxels.Size();
  LoadedImage moved = std::move(image);
  EXPECT_TRUE(bytes->Are(data, size)) << "they are where they were";
  moved.voxels.Release();
  EXPECT_FALSE(bytes->Are(data, size));

  const auto  others = std::make_shared<ArrivingBytes>();
  LoadedImage other = Read(2, others);
  other.voxels = VoxelMemory();
  EXPECT_EQ(others->AwaitSize(), 0u);
}

} // namespace
} // namespace brickccl::files
