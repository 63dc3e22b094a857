// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomPlanes.h"
#include "BrickCCL/Files/PartialVoxels.h"
#include "BrickCCL/Files/Disk/MappedFiles.h"

#include <utility>

namespace brickccl::files::dicom
{

namespace
{

/** Slices that are decoded when they are read. */
class PlaneStream : public VoxelStream
{
public:
  PlaneStream(std::vector<Plane> planes, ScalarType type, std::size_t planeBytes, int threads)
    : m_Planes(std::move(planes))
    , m_Type(type)
    , m_PlaneBytes(planeBytes)
  {
    m_Context.threads = threads;
  }

  void
  Read(std::uint64_t begin, std::byte * output, std::size_t size) override
  {
    RequireWholeSlices(begin, size, m_PlaneBytes);
    const auto               first = m_Planes.begin() + static_cast<std::ptrdiff_t>(begin / m_PlaneBytes);
    const std::vector<Plane> planes(first, first + static_cast<std::ptrdiff_t>(size / m_PlaneBytes));
    const StoredPlanes       stored(planes, m_Context.Silent());
    ParallelFor(static_cast<std::int64_t>(planes.size()), m_Context, [&](std::int64_t i) {
      const auto index = static_cast<std::size_t>(i);
      WritePlane(planes[index], stored[index], m_Type, output + index * m_PlaneBytes);
      Forget(planes[index].source->file);
    });
  }

  std::uint64_t
  BytesAtLeast() const override
  {
    return m_PlaneBytes;
  }

private:
  std::vector<Plane> m_Planes;
  ScalarType         m_Type;
  std::size_t        m_PlaneBytes;
  HostContext        m_Context;
};

} // namespace

void
Forget(const File & file)
{
  if (file.bytes.IsMapped())
  {
    ForgetMapped(file.bytes.Data(), file.bytes.Size());
  }
}

std::shared_ptr<VoxelStream>
PlaneVoxels(const std::vector<Plane> & planes, ScalarType type, std::size_t planeBytes, int threads)
{
  return std::make_shared<PlaneStream>(planes, type, planeBytes, threads);
}

} // namespace brickccl::files::dicom
