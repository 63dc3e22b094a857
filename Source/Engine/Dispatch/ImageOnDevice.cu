// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/ImageOnDevice.h"

#include "BrickCCL/Cuda/Launch.cuh"
#include "BrickCCL/Cuda/StagedCopy.cuh"
#include "BrickCCL/Dispatch/LabelingImplementation.h"

namespace brickccl
{

namespace
{

/** Values of voxels; 0 outside of the part. */
constexpr std::uint8_t InPart = 1;
constexpr std::uint8_t InPore = 2;

template <typename TWork>
__global__ void
ForEachKernel(TWork work, std::int64_t count)
{
  for (std::int64_t i = cuda::ThreadIndex(); i < count; i += cuda::ThreadCount())
  {
    work(i);
  }
}

/** The voxels of a slice across an axis, the lower axis fastest. */
struct SliceGrid
{
  std::int64_t step, length, count, acrossStep, across, downStep;

  SliceGrid(const std::int64_t * size, int axis)
  {
    const std::int64_t steps[3] = { 1, size[0], size[0] * size[1] };
    step = steps[axis];
    length = size[axis];
    count = size[0] * size[1] * size[2] / length;
    across = size[axis == 0 ? 1 : 0];
    acrossStep = steps[axis == 0 ? 1 : 0];
    downStep = steps[axis == 2 ? 1 : 2];
  }
  __device__ std::int64_t
             Place(std::int64_t i) const
  {
    return i % across * acrossStep + i / across * downStep;
  }
};

} // namespace

/** Its functions with kernels are public, as nvcc asks. */
class KeptImage : public ImageOnDevice
{
public:
  KeptImage(const ImageView & image, int device, const HostContext & context)
    : m_Labeler(device)
    , m_Image(image)
    , m_Count(image.extent.VoxelCount())
  {
    m_Voxels.Resize(static_cast<std::size_t>(m_Count) * SizeOf(image.type));
    m_Staged.Upload(m_Voxels.Data(), image.data, m_Voxels.CapacityBytes(), m_Stream.Get(), context);
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream.Get()));
    m_Image.data = m_Voxels.Data();
  }

  void
  Label(Of what, const LabelOptions & options, Labeling & result) override
  {
    LabelOptions own = options;
    own.criterion =
      what == Of::Image ? options.criterion : Criterion::InRange(what == Of::Part ? InPart : InPore, InPore);
    brickccl::Label(m_Labeler, what == Of::Image ? m_Image : ImageView(m_Marks.Data(), m_Image.extent), own, result);
  }

  std::vector<std::uint64_t>
  LabelAir(const Criterion & material) override
  {
    const cuda::CurrentDevice current(m_Labeler.Device());
    const int                 dimension = m_Image.extent.dimension;
    RelabelOptions            bySize;
    bySize.order = LabelOrder::Size;
    const unsigned * const pieces = Room(m_Pieces, m_Count);
    std::uint8_t * const   marks = Room(m_Marks, m_Count);
    if (Find(m_Image, material, Connectivity::Full(dimension), nullptr) == 0)
    {
      return {};
    }
    m_Labeler.RelabelOnDevice(bySize, m_Pieces.Data(), LabelType::UInt32, m_Stream.Get());
    ForEach(m_Count, [=] __device__(std::int64_t i) { marks[i] = pieces[i] == 1 ? InPart : 0; });
    m_Labels = 1 + static_cast<std::int64_t>(Find(ImageView(marks, m_Image.extent),
                                                  Criterion::InRange(0, 0),
                                                  Connectivity::Face(dimension),
                                                  Room(m_Air, m_Count)));
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(Room(m_ByLabel, m_Labels), 0, sizeof(std::uint64_t), m_Stream.Get()));
    m_Labeler.SizesOnDevice(reinterpret_cast<std::uint64_t *>(m_ByLabel.Data()) + 1, m_Stream.Get());
    return Fetch<std::uint64_t>(m_ByLabel, m_Labels);
  }

  std::vector<std::uint32_t>
  SliceOfAir(int axis, std::int64_t index) override
  {
    const cuda::CurrentDevice current(m_Labeler.Device());
    const SliceGrid           grid(m_Image.extent.size, axis);
    const unsigned * const    air = m_Air.Data() + index * grid.step;
    unsigned * const          slice = Room(m_Slice, grid.count);
    ForEach(grid.count, [=] __device__(std::int64_t i) { slice[i] = air[grid.Place(i)]; });
    return Fetch<std::uint32_t>(m_Slice, grid.count);
  }

  std::vector<std::uint64_t>
  LinesOfAir(int axis) override
  {
    const cuda::CurrentDevice  current(m_Labeler.Device());
    const SliceGrid            grid(m_Image.extent.size, axis);
    const unsigned * const     air = m_Air.Data();
    unsigned long long * const lines = Room(m_ByLabel, m_Labels);
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(lines, 0, m_ByLabel.CapacityBytes(), m_Stream.Get()));
    ForEach(grid.count, [=] __device__(std::int64_t i) {
      const unsigned * const first = air + grid.Place(i);
      std::int64_t           k = 0;
      while (k < grid.length && first[k * grid.step] == *first)
      {
        ++k;
      }
      k == grid.length ? void(atomicAdd(lines + *first, 1ull)) : void();
    });
    return Fetch<std::uint64_t>(m_ByLabel, m_Labels);
  }

  void
  MarkPart(const std::vector<std::uint8_t> & isOutside) override
  {
    const cuda::CurrentDevice  current(m_Labeler.Device());
    const unsigned * const     pieces = m_Pieces.Data();
    const unsigned * const     air = m_Air.Data();
    std::uint8_t * const       marks = m_Marks.Data();
    const std::uint8_t * const outside = Room(m_IsOutside, m_Labels);
    m_Staged.Upload(m_IsOutside.Data(), isOutside.data(), isOutside.size(), m_Stream.Get(), {});
    ForEach(m_Count, [=] __device__(std::int64_t i) {
      marks[i] = outside[air[i]] != 0 ? 0 : pieces[i] != 0 ? InPart : InPore;
    });
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream.Get()));
  }

private:
  template <typename TWork>
  void
  ForEach(std::int64_t count, const TWork & work)
  {
    BRICKCCL_LAUNCH(ForEachKernel<TWork>, cuda::ShapeFor(count), m_Stream.Get(), work, count);
  }

  std::uint64_t
  Find(const ImageView & image, const Criterion & criterion, const Connectivity & connectivity, unsigned * labels)
  {
    return m_Labeler
      .LabelOnDevice("Auto", image, criterion, {}, connectivity, labels, LabelType::UInt32, m_Stream.Get());
  }

  template <typename T>
  T *
  Room(cuda::DeviceBuffer<T> & buffer, std::int64_t count)
  {
    buffer.Resize(static_cast<std::size_t>(count));
    return buffer.Data();
  }

  template <typename TOut, typename T>
  std::vector<TOut>
  Fetch(const cuda::DeviceBuffer<T> & values, std::int64_t count)
  {
    std::vector<TOut> fetched(static_cast<std::size_t>(count));
    m_Staged.Download(fetched.data(), values.Data(), fetched.size() * sizeof(TOut), m_Stream.Get(), {});
    return fetched;
  }

  DeviceLabeler      m_Labeler;
  ImageView          m_Image;
  const std::int64_t m_Count;
  std::int64_t       m_Labels = 0;
  cuda::Stream       m_Stream;
  cuda::StagedCopy   m_Staged;

  cuda::DeviceBuffer<std::uint8_t>       m_Voxels, m_IsOutside, m_Marks;
  cuda::DeviceBuffer<unsigned>           m_Pieces, m_Air, m_Slice;
  cuda::DeviceBuffer<unsigned long long> m_ByLabel;
};

std::unique_ptr<ImageOnDevice>
ImageOnDevice::Keep(const ImageView & image, const Device & device, const HostContext & context)
{
  if (device.kind != Device::Kind::Cuda)
  {
    return nullptr;
  }
  const cuda::CurrentDevice current(device.index);
  return std::make_unique<KeptImage>(image, device.index, context);
}

} // namespace brickccl
