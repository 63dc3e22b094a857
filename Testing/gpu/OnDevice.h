// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_ONDEVICE_H
#define BRICKCCL_TESTING_ONDEVICE_H

#include "BrickCCL/BrickCCL.h"

#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

/** Shared code of the tests of labeling in device memory. */
namespace brickccl
{

#ifdef BRICKCCL_CUDA_ON_HOST
// Kernels on the host take a thousand times as long.
inline constexpr std::uint64_t VolumeCount = 60;
inline constexpr std::int64_t  Reduction = 5;
#else
inline constexpr std::uint64_t VolumeCount = 1000;
inline constexpr std::int64_t  Reduction = 1;
#endif

/** Device memory for a test. */
template <typename T>
class OnDevice
{
public:
  explicit OnDevice(std::size_t size)
  {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&m_Data), size * sizeof(T)), cudaSuccess);
  }
  explicit OnDevice(const std::vector<T> & values)
    : OnDevice(values.size())
  {
    EXPECT_EQ(cudaMemcpy(m_Data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  OnDevice(const OnDevice &) = delete;
  OnDevice & operator=(const OnDevice &) = delete;
  ~OnDevice()
  {
    cudaFree(m_Data);
  }

  T *
  Data() const
  {
    return m_Data;
  }
  std::vector<T>
  Download(std::size_t size) const
  {
    std::vector<T> values(size);
    EXPECT_EQ(cudaMemcpy(values.data(), m_Data, size * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

private:
  T * m_Data = nullptr;
};

/** Labels an image in device memory; the label map is there as well. */
template <typename T>
void
LabelToMap(CudaLabeler &                   labeler,
           const std::string &             algorithm,
           const OnDevice<T> &             image,
           const Extent &                  extent,
           const Criterion &               criterion,
           const Connectivity &            connectivity,
           const OnDevice<std::uint32_t> & labels)
{
  labeler.LabelOnDevice(algorithm,
                        ImageView(image.Data(), extent),
                        criterion,
                        {},
                        connectivity,
                        labels.Data(),
                        LabelType::UInt32);
}

template <typename T>
std::vector<std::uint32_t>
CpuLabels(const std::vector<T> & voxels,
          const Extent &         extent,
          const Criterion &      criterion,
          const Connectivity &   connectivity)
{
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.criterion = criterion;
  options.connectivity = connectivity;
  std::vector<std::uint32_t> labels(voxels.size());
  Label(ImageView(voxels.data(), extent), options).Write(labels.data());
  return labels;
}

/** The algorithms that label a problem on the device. */
inline std::vector<std::string>
SupportingAlgorithms(const Extent & extent, const Criterion & criterion, const Connectivity & connectivity)
{
  std::vector<std::string> supporting;
  for (const AlgorithmInfo & algorithm : ListAlgorithms())
  {
    if (AlgorithmRunsOnCuda(algorithm.name, extent, criterion, connectivity))
    {
      supporting.push_back(algorithm.name);
    }
  }
  return supporting;
}

class OnCuda : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    const ResolvedDevice resolved = ResolveDevice({ Device::Kind::Cuda, 0 });
    if (resolved.device.kind != Device::Kind::Cuda)
    {
      GTEST_SKIP() << resolved.remark;
    }
  }
};

} // namespace brickccl

#endif
