// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_FURTHERTIMES_CUH
#define BRICKCCL_TESTING_GPU_FURTHERTIMES_CUH

#include "Timing.cuh"

/** Times of what follows labeling, and of slices. */
namespace brickccl::benchmark
{

/** Times what follows labeling, for the default algorithm, and prints how many times labeling with a map it takes:
 *  the table, also without a map; order by size; label lists without a map. */
template <typename T>
void
TimeAfterLabeling(const std::string &  name,
                  const Extent &       extent,
                  const T *            image,
                  const Criterion &    criterion,
                  const Connectivity & connectivity,
                  unsigned *           labels,
                  float                floor,
                  float                alone)
{
  CudaLabeler   labeler(0);
  std::uint64_t components = 0;
  const auto    label = [&](unsigned * map) {
    components =
      labeler.LabelOnDevice("Auto", ImageView(image, extent), criterion, {}, connectivity, map, LabelType::UInt32);
  };
  const auto report = [&](const char * what, const std::function<void()> & work) {
    const float time = MedianMilliseconds(work);
    std::printf("%s,%s,%d,%s %s,%.4f,%.2f,%llu,%.2f\n",
                name.c_str(),
                extent.ToString().c_str(),
                connectivity.NeighborCount(),
                labeler.LastAlgorithm().c_str(),
                what,
                time,
                time / floor,
                static_cast<unsigned long long>(components),
                time / alone);
  };
  report("with table", [&] {
    label(labels);
    labeler.MeasureOnDevice();
  });
  report("with count alone", [&] { label(nullptr); });
  report("with table alone", [&] {
    label(nullptr);
    labeler.MeasureOnDevice();
  });
  RelabelOptions limit;
  limit.minimumSize = 10;
  report("with 10 voxels and more", [&] {
    label(nullptr);
    labeler.RelabelOnDevice(limit, labels, LabelType::UInt32);
  });
  RelabelOptions bySize;
  bySize.order = LabelOrder::Size;
  report("with order by size", [&] {
    label(nullptr);
    labeler.RelabelOnDevice(bySize, labels, LabelType::UInt32);
  });
  label(nullptr);
  std::int64_t * offsets = nullptr;
  std::int64_t * voxels = nullptr;
  Check(cudaMalloc(&offsets, (components + 1) * sizeof(*offsets)));
  const std::uint64_t count = labeler.OffsetsOnDevice(offsets);
  Check(cudaMalloc(&voxels, (count + 1) * sizeof(*voxels)));
  report("with lists alone", [&] {
    label(nullptr);
    labeler.OffsetsOnDevice(offsets);
    labeler.ListOnDevice(voxels);
  });
  Check(cudaFree(offsets));
  Check(cudaFree(voxels));
}

/** Times labeling of slices, each on its own, without and with the table of components, and prints how many times the
 *  volume at full connectivity it takes, labeled or labeled and measured. */
template <typename T>
void
TimeSlices(const std::string &    name,
           const Extent &         extent,
           const std::vector<T> & voxels,
           const Criterion &      criterion = Criterion::Foreground())
{
  if (!IsWanted(name))
  {
    return;
  }
  T *        image = nullptr;
  unsigned * labels = nullptr;
  Check(cudaMalloc(&image, voxels.size() * sizeof(T) + 64));
  Check(cudaMalloc(&labels, voxels.size() * 4 + 64));
  Check(cudaMemcpy(image, voxels.data(), voxels.size() * sizeof(T), cudaMemcpyHostToDevice));
  CudaLabeler labeler(0);
  const auto  label = [&](const Connectivity & connectivity) {
    labeler.LabelOnDevice("Auto",
                          ImageView(static_cast<const T *>(image), extent),
                          criterion,
                          {},
                          connectivity,
                          labels,
                          LabelType::UInt32);
  };
  float      volume = 0;
  float      measuredVolume = 0;
  const auto report = [&](const Connectivity & connectivity) {
    const float labeled = MedianMilliseconds([&] { label(connectivity); });
    const float measured = MedianMilliseconds([&] {
      label(connectivity);
      labeler.MeasureOnDevice();
    });
    const bool  isFirst = volume == 0;
    volume = isFirst ? labeled : volume;
    measuredVolume = isFirst ? measured : measuredVolume;
    const std::string what =
      name + ',' + extent.ToString() + ',' + connectivity.ToString() + ',' + labeler.LastAlgorithm();
    std::printf("slices; %s,%.4f,%.2f\n", what.c_str(), labeled, labeled / volume);
    std::printf("slices; %s with table,%.4f,%.2f\n", what.c_str(), measured, measured / measuredVolume);
  };
  report(Connectivity::Full(3));
  for (int axis = 2; axis >= 0; --axis)
  {
    for (int rank = 2; rank >= 1; --rank)
    {
      report(Connectivity(2, rank).WithinSlices(axis));
    }
  }
  std::fflush(stdout);
  Check(cudaFree(image));
  Check(cudaFree(labels));
}

} // namespace brickccl::benchmark

#endif
