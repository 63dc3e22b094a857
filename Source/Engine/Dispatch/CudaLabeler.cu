// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Dispatch/DeviceLabeler.h"

namespace brickccl
{

CudaLabeler::CudaLabeler(int device)
  : m_Labeler(std::make_unique<DeviceLabeler>(device))
{}

CudaLabeler::~CudaLabeler() = default;

int
CudaLabeler::Device() const
{
  return m_Labeler->Device();
}

const std::string &
CudaLabeler::LastAlgorithm() const
{
  return m_Labeler->LastAlgorithm();
}

std::uint64_t
CudaLabeler::LabelOnDevice(const std::string &              algorithm,
                           const ImageView &                image,
                           const Criterion &                criterion,
                           const std::optional<ImageView> & mask,
                           const Connectivity &             connectivity,
                           void *                           labels,
                           LabelType                        type,
                           void *                           stream)
{
  const Problem problem(image, criterion, mask, connectivity);
  return m_Labeler->LabelOnDevice(ParseAlgorithm(algorithm), problem, labels, type, stream);
}

void
CudaLabeler::WriteOnDevice(void * labels, LabelType type, void * stream)
{
  m_Labeler->WriteOnDevice(labels, type, stream);
}

void
CudaLabeler::SizesOnDevice(std::uint64_t * sizes, void * stream)
{
  m_Labeler->SizesOnDevice(sizes, stream);
}

std::uint64_t
CudaLabeler::RelabelOnDevice(const RelabelOptions & options, void * labels, LabelType type, void * stream)
{
  return m_Labeler->RelabelOnDevice(options, labels, type, stream);
}

std::uint64_t
CudaLabeler::KeepOnDevice(const unsigned char * keeps, void * labels, LabelType type, void * stream)
{
  return m_Labeler->KeepOnDevice(keeps, labels, type, stream);
}

std::uint64_t
CudaLabeler::OffsetsOnDevice(std::int64_t * offsets, void * stream)
{
  return m_Labeler->OffsetsOnDevice(offsets, stream);
}

void
CudaLabeler::ListOnDevice(std::int64_t * voxels, void * stream)
{
  m_Labeler->ListOnDevice(voxels, stream);
}

void
CudaLabeler::MeasureOnDevice(void * stream)
{
  m_Labeler->MeasureOnDevice(stream);
}

ComponentTable
CudaLabeler::FetchTable(const Geometry & geometry, void * stream)
{
  return m_Labeler->FetchTable(geometry, stream);
}

std::size_t
CudaLabeler::ScratchBytes() const
{
  return m_Labeler->ScratchBytes();
}

DeviceLabeler &
DeviceLabelerOf(CudaLabeler & labeler)
{
  return *labeler.m_Labeler;
}

} // namespace brickccl
