// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickCudaConnectedComponentImageFilter_hxx
#define itkBrickCudaConnectedComponentImageFilter_hxx

#include "itkBrickCudaConnectedComponentImageFilter.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace itk
{

/** The engine's name of the unsigned type of a label's size. */
template <typename TLabel>
constexpr brickccl::LabelType
BrickLabelTypeOf()
{
  switch (sizeof(TLabel))
  {
  case 1:
    return brickccl::LabelType::UInt8;
  case 2:
    return brickccl::LabelType::UInt16;
  case 4:
    return brickccl::LabelType::UInt32;
  default:
    return brickccl::LabelType::UInt64;
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
template <typename TLabelMap>
typename TLabelMap::Pointer
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MakeLabelMap() const
{
  if (m_Labeler != nullptr && m_HostReason.empty())
  {
    itkExceptionMacro("the labels stayed on the device; for a label map call GPUEnabledOff() and Update() first, or "
                      "use BrickLabelImageToShapeLabelMapFilter");
  }
  return HostFilter::template MakeLabelMap<TLabelMap>();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
template <typename TImage>
void *
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::BufferOnDevice(const TImage * image)
{
  // This method, if it exists, means the same in every version; GetGPUBufferPointer does not.
  return *static_cast<void **>(image->GetCudaDataManager()->GetGPUBufferPointerPtr());
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
template <typename TImage>
brickccl::ImageView
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ViewOnDevice(const TImage * image)
{
  using ValueType = typename NumericTraits<typename TImage::PixelType>::ValueType;
  const auto   manager = image->GetCudaDataManager();
  const bool   isHostOld = manager->IsCPUBufferDirty();
  void * const pixels = BufferOnDevice(image);
  // Requesting the buffer marks the host's pixels as outdated, but the pixels of an input are not written.
  manager->SetCPUDirtyFlag(isHostOld);
  std::int64_t size[ImageDimension];
  for (unsigned int axis = 0; axis < ImageDimension; ++axis)
  {
    size[axis] = static_cast<std::int64_t>(image->GetBufferedRegion().GetSize(axis));
  }
  return brickccl::ImageView(pixels,
                             brickccl::ScalarTypeOf<ValueType>(),
                             brickccl::Extent(ImageDimension, size),
                             static_cast<int>(image->GetNumberOfComponentsPerPixel()));
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
int
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::DeviceOf(
  const brickccl::ImageView & image)
{
  cudaPointerAttributes place{};
  CUDA_CHECK(cudaPointerGetAttributes(&place, image.data));
  return place.device;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::RequireDeviceCan(
  const brickccl::LabelOptions & options) const
{
  const auto require = [](bool holds, const char * reason) {
    if (!holds)
    {
      throw brickccl::Unsupported(reason);
    }
  };
  const auto         region = this->GetInput()->GetLargestPossibleRegion();
  const auto * const mask = this->GetMaskImage();
  require(std::is_integral_v<OutputPixelType>, "the device writes only labels of integer types");
  require(this->GetBackgroundValue() == OutputPixelType{}, "the device writes only 0 for the background");
  require(options.connectivity->IsPlain(), "only neighborhoods that are a rank run on the device");
  require(!options.periodic.HasAny(), "periodic axes are labeled on the host");
  require(this->GetInput()->GetBufferedRegion() == region, "the image's buffer is not its largest region");
  require(mask == nullptr || mask->GetBufferedRegion() == region, "the mask has another region than the image");
  require(mask == nullptr || std::is_integral_v<typename TMaskImage::PixelType>, "the mask is not of an integer type");
  if (this->GetComputeComponentTable())
  {
    require(this->GetColumnGroups().List().empty(), "the device measures only the default columns");
    require(this->ProcessObject::GetInput("IntensityImage") == nullptr, "intensities are measured on the host");
    require(this->ProcessObject::GetInput("PartImage") == nullptr, "distances to a part are measured on the host");
    require(ImageDimension <= 3, "components of 4 dimensions are measured on the host");
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::LabelOnDevice()
{
  BrickProgress          progress(this);
  brickccl::LabelOptions options = this->MakeOptions(progress.Hooks());
  this->RequireDeviceCan(options);
  const brickccl::ImageView image = ViewOnDevice(this->GetInput());
  if (const auto * const mask = this->GetMaskImage())
  {
    options.mask = ViewOnDevice(mask);
  }
  const int device = DeviceOf(image);
  if (options.mask && DeviceOf(*options.mask) != device)
  {
    throw brickccl::Unsupported("the mask is on another device than the image");
  }
  const bool isAnyDevice = this->GetDevice() == std::string("auto") || this->GetDevice() == std::string("cuda");
  if (!isAnyDevice && options.device.Indices() != std::vector<int>{ device })
  {
    throw brickccl::Unsupported("the image is on the device cuda:" + std::to_string(device) + ", not on " +
                                options.device.ToString());
  }
  if (m_Labeler == nullptr || m_Labeler->Device() != device)
  {
    m_Labeler = std::make_unique<brickccl::CudaLabeler>(device);
  }
  const brickccl::RelabelOptions relabel = brickccl::LimitsOf(options, image.extent.dimension);

  // The output has labels of the unsigned type of its size, up to its largest value.
  constexpr brickccl::LabelType type = BrickLabelTypeOf<OutputPixelType>();
  std::uint64_t                 count =
    m_Labeler
      ->LabelOnDevice(options.algorithm, image, options.criterion, options.mask, *options.connectivity, nullptr, type);
  progress.Update(0.7);
  if (!relabel.KeepEverything())
  {
    count = m_Labeler->RelabelOnDevice(relabel, nullptr, type);
  }
  const auto largest = static_cast<std::uint64_t>(NumericTraits<OutputPixelType>::max());
  if (count > largest)
  {
    throw brickccl::LabelOverflow(std::to_string(count) +
                                  " components do not fit the label type, whose largest label is " +
                                  std::to_string(largest));
  }
  progress.Update(0.8);
  this->AllocateOutputs();
  m_Labeler->WriteOnDevice(BufferOnDevice(this->GetOutput()), type);
  progress.Update(0.9);
  brickccl::ComponentTable table;
  if (this->GetComputeComponentTable())
  {
    table = m_Labeler->FetchTable(options.geometry);
  }
  this->SetComponents(count, this->GetComputeComponentTable() ? &table : nullptr);
  progress.Update(1);
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GPUGenerateData()
{
  m_HostReason.clear();
  this->SetComponents(0, nullptr);
  RunBrickWork(this, [this] {
    try
    {
      this->LabelOnDevice();
    }
    catch (const brickccl::Unsupported & error)
    {
      m_HostReason = error.what();
    }
  });
  if (!m_HostReason.empty())
  {
    itkWarningMacro("labeling runs on the host: " << m_HostReason);
    HostFilter::GenerateData();
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickCudaConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateData()
{
  // Outputs are allocated when nothing can fail any more; the superclass would do it first.
  if (this->GetGPUEnabled() && this->GetDevice() != std::string("cpu"))
  {
    this->GPUGenerateData();
    return;
  }
  m_HostReason = this->GetGPUEnabled() ? "the Device is cpu" : "GPUEnabled is off";
  HostFilter::GenerateData();
}

} // namespace itk

#endif
