// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/PartialVoxels.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Voxels.h"
#include "BrickCCL/Files/Disk/MappedFiles.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace brickccl::files
{

namespace
{

/** Gives the memory of a mapped file's bytes back, which can be read again. */
void
Forget(const FileBytes & file, std::uint64_t begin, std::uint64_t end)
{
  if (file.IsMapped() && begin < end)
  {
    ForgetMapped(file.Data() + begin, static_cast<std::size_t>(end - begin));
  }
}

class StoredStream : public VoxelStream
{
public:
  StoredStream(const FileBytes & file, std::uint64_t begin, std::size_t swappedSize, const HostContext & context)
    : m_File(file)
    , m_Begin(begin)
    , m_SwappedSize(swappedSize)
    , m_Context(context)
  {}

  void
  Read(std::uint64_t begin, std::byte * output, std::size_t size) override
  {
    CopyStored(m_File, m_Begin + begin, size, output, m_Context);
    SwapBytes(output, m_SwappedSize, size / m_SwappedSize, m_Context);
    Forget(m_File, m_Begin + begin, m_Begin + begin + size);
  }

  std::uint64_t
  BytesAtLeast() const override
  {
    return m_SwappedSize;
  }

private:
  FileBytes     m_File;
  std::uint64_t m_Begin;
  std::size_t   m_SwappedSize;
  HostContext   m_Context;
};

class InflatedStream : public VoxelStream
{
public:
  InflatedStream(CompressedVoxels from, std::uint64_t bytes, std::size_t swappedSize, const HostContext & context)
    : m_From(std::move(from))
    , m_Bytes(bytes)
    , m_SwappedSize(swappedSize)
    , m_Context(context)
  {
    Restart();
  }

  void
  Read(std::uint64_t begin, std::byte * output, std::size_t size) override
  {
    if (begin < m_Place)
    {
      Restart();
    }
    Skip(begin - m_Place);
    m_Inflater->Read(output, size);
    m_Place = begin + size;
    if (m_Place == m_Bytes)
    {
      m_Inflater->Finish();
    }
    const std::uint64_t taken = m_From.file.Size() - m_Inflater->Left();
    Forget(m_From.file, m_Forgotten, taken);
    m_Forgotten = taken;
    if (m_SwappedSize > 1)
    {
      SwapBytes(output, m_SwappedSize, size / m_SwappedSize, m_Context);
    }
  }

  std::uint64_t
  BytesAtLeast() const override
  {
    return m_SwappedSize;
  }

private:
  void
  Restart()
  {
    m_From.file.Require(m_From.begin, 0);
    m_Inflater = std::make_unique<Inflater>(m_From.file.Data() + m_From.begin,
                                            static_cast<std::size_t>(m_From.file.Size() - m_From.begin),
                                            m_From.wrapper,
                                            m_From.name);
    m_Forgotten = m_From.begin;
    Skip(m_From.skipped);
    m_Place = 0;
  }

  void
  Skip(std::uint64_t bytes)
  {
    std::vector<std::byte> skipped(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 1 << 16)));
    while (bytes > 0)
    {
      const auto part = std::min<std::uint64_t>(bytes, skipped.size());
      m_Inflater->Read(skipped.data(), static_cast<std::size_t>(part));
      bytes -= part;
    }
  }

  CompressedVoxels          m_From;
  std::uint64_t             m_Bytes;
  std::size_t               m_SwappedSize;
  HostContext               m_Context;
  std::unique_ptr<Inflater> m_Inflater;
  std::uint64_t             m_Place = 0;
  std::uint64_t             m_Forgotten = 0;
};

class RescaledStream : public VoxelStream
{
public:
  RescaledStream(std::shared_ptr<const LoadedImage> stored,
                 const Scaling &                    scaling,
                 ScalarType                         type,
                 const HostContext &                context)
    : m_Stored(std::move(stored))
    , m_Scaling(scaling)
    , m_Type(type)
    , m_Context(context)
  {}

  void
  Read(std::uint64_t begin, std::byte * output, std::size_t size) override
  {
    const std::size_t   count = size / SizeOf(m_Type);
    const std::uint64_t first = begin / SizeOf(m_Type) * SizeOf(m_Stored->type);
    const std::size_t   bytes = count * SizeOf(m_Stored->type);
    const std::byte *   stored = m_Stored->voxels.Data() + first;
    if (m_Stored->stream)
    {
      m_Read.Resize(bytes);
      m_Stored->stream->Read(first, m_Read.Data(), bytes);
      stored = m_Read.Data();
    }
    Rescale(stored, m_Stored->type, m_Scaling, output, m_Type, static_cast<std::int64_t>(count), m_Context);
    if (!m_Stored->stream && m_Stored->voxels.IsShared())
    {
      ForgetMapped(stored, bytes);
    }
  }

  std::uint64_t
  BytesAtLeast() const override
  {
    const std::uint64_t stored = m_Stored->stream ? m_Stored->stream->BytesAtLeast() : 1;
    return std::max<std::uint64_t>(1, stored / SizeOf(m_Stored->type)) * SizeOf(m_Type);
  }

private:
  std::shared_ptr<const LoadedImage> m_Stored;
  Scaling                            m_Scaling;
  ScalarType                         m_Type;
  HostContext                        m_Context;
  Buffer<std::byte>                  m_Read;
};

} // namespace

std::shared_ptr<VoxelStream>
StoredVoxels(const FileBytes & file, std::uint64_t begin, std::size_t swappedSize, const HostContext & context)
{
  return std::make_shared<StoredStream>(file, begin, swappedSize, context.Silent());
}

std::shared_ptr<VoxelStream>
InflatedVoxels(const CompressedVoxels & from, std::uint64_t bytes, std::size_t swappedSize, const HostContext & context)
{
  return std::make_shared<InflatedStream>(from, bytes, swappedSize, context.Silent());
}

std::shared_ptr<VoxelStream>
RescaledVoxels(std::shared_ptr<const LoadedImage> stored,
               const Scaling &                    scaling,
               ScalarType                         type,
               const HostContext &                context)
{
  return std::make_shared<RescaledStream>(std::move(stored), scaling, type, context.Silent());
}

void
RequireWholeSlices(std::uint64_t begin, std::size_t size, std::size_t sliceBytes)
{
  if (begin % sliceBytes != 0 || size % sliceBytes != 0)
  {
    throw Unsupported(
      "a slice of this image cannot be read in parts; allow more memory, or save the image uncompressed");
  }
}

void
RefuseParts(const LoadedImage & image, const std::string & what)
{
  if (image.inParts)
  {
    throw Unsupported(what +
                      " are not read in parts; save it as NRRD, NIfTI or MetaImage (gzip or uncompressed), or as "
                      "TIFF slices, or read it whole, without --memory");
  }
}

} // namespace brickccl::files
