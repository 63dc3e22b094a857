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

class InflatedStream
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
  Read(std::uint64_t begin, std::byte * output, std::size_t size)
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
      m_Inflater->Finish(m_From.hasMore);
    }
    const std::uint64_t taken = m_From.file.Size() - m_Inflater->Left();
    Forget(m_From.file, m_Forgotten, taken);
    m_Forgotten = taken;
    if (m_SwappedSize > 1)
    {
      SwapBytes(output, m_SwappedSize, size / m_SwappedSize, m_Context);
    }
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

} // namespace

void
Forget(const FileBytes & file)
{
  Forget(file, 0, file.Size());
}

void
Forget(const FileBytes & file, std::uint64_t begin, std::uint64_t end)
{
  if (file.IsMapped() && begin < end)
  {
    ForgetMapped(file.Data() + begin, static_cast<std::size_t>(end - begin));
  }
}

std::shared_ptr<VoxelStream>
StoredVoxels(const FileBytes & file, std::uint64_t begin, std::size_t swappedSize, const HostContext & context)
{
  return std::make_shared<VoxelStream>(
    swappedSize,
    [=, silent = context.Silent()](std::uint64_t place, std::byte * output, std::size_t size) {
      CopyStored(file, begin + place, size, output, silent);
      SwapBytes(output, swappedSize, size / swappedSize, silent);
      Forget(file, begin + place, begin + place + size);
    });
}

std::shared_ptr<VoxelStream>
InflatedVoxels(const CompressedVoxels & from, std::uint64_t bytes, std::size_t swappedSize, const HostContext & context)
{
  const auto stream = std::make_shared<InflatedStream>(from, bytes, swappedSize, context.Silent());
  return std::make_shared<VoxelStream>(
    swappedSize,
    [stream](std::uint64_t begin, std::byte * output, std::size_t size) { stream->Read(begin, output, size); });
}

std::shared_ptr<VoxelStream>
RescaledVoxels(const std::shared_ptr<const LoadedImage> & stored,
               const Scaling &                            scaling,
               ScalarType                                 type,
               const HostContext &                        context)
{
  const std::size_t   from = SizeOf(stored->type);
  const std::size_t   to = SizeOf(type);
  const std::uint64_t least = stored->stream ? stored->stream->BytesAtLeast() : 1;
  const auto          read = [=, silent = context.Silent()](std::uint64_t begin, std::byte * output, std::size_t size) {
    const std::size_t   count = size / to;
    const std::uint64_t first = begin / to * from;
    Buffer<std::byte>   room;
    const std::byte *   values = stored->voxels.Data() + first;
    if (stored->stream)
    {
      room.Resize(count * from);
      stored->stream->Read(first, room.Data(), count * from);
      values = room.Data();
    }
    Rescale(values, stored->type, scaling, output, type, static_cast<std::int64_t>(count), silent);
    if (!stored->stream && stored->voxels.IsShared())
    {
      ForgetMapped(values, count * from);
    }
  };
  return std::make_shared<VoxelStream>(std::max<std::uint64_t>(1, least / from) * to, read);
}

std::shared_ptr<VoxelStream>
SliceVoxels(std::size_t                                                                           sliceBytes,
            const std::function<void(std::size_t first, std::size_t count, std::byte * output)> & read)
{
  return std::make_shared<VoxelStream>(sliceBytes, [=](std::uint64_t begin, std::byte * output, std::size_t size) {
    ThrowIf<Unsupported>(
      begin % sliceBytes != 0 || size % sliceBytes != 0,
      "a slice of this image cannot be read in parts; allow more memory, or save the image uncompressed");
    read(static_cast<std::size_t>(begin / sliceBytes), size / sliceBytes, output);
  });
}

} // namespace brickccl::files
