// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickCudaConnectedComponentImageFilter_h
#define itkBrickCudaConnectedComponentImageFilter_h

#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "itkBrickConnectedComponentImageFilter.h"

#include "itkCudaImage.h"
#include "itkCudaImageToImageFilter.h"

#include <cstdint>
#include <memory>
#include <string>
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

/** \class BrickCudaConnectedComponentImageFilter
 * \brief BrickConnectedComponentImageFilter from itk::CudaImage to itk::CudaImage: pixels and labels stay on the
 * device.
 *
 * It has the options, defaults, labels and errors of BrickConnectedComponentImageFilter. An image that is only on the
 * host is uploaded first. The labels stay on the device; ITKCudaCommon copies them to the host when they are read
 * there. The work runs on the default stream of the image's device.
 *
 * Some options need the host: periodic axes, neighborhoods that are not a rank (SetNeighborhood), a BackgroundValue
 * other than 0, labels of a floating type, a mask of a floating type or of a larger region, further columns, an
 * intensity or part image, the table of 4-D images, an Algorithm without CUDA, another Device than the image's. The
 * filter then labels like BrickConnectedComponentImageFilter, with the same result, and warns; HostReason has the
 * reason. With GPUEnabledOff or the Device "cpu" it does so without a warning.
 *
 * MakeLabelMap needs labels made on the host.
 *
 * It is available if BrickCCL was configured with BRICKCCL_USE_ITKCUDACOMMON, and needs ITKCudaCommon 2.1 or later.
 *
 * \sa BrickConnectedComponentImageFilter, CudaImageToImageFilter, brickccl::CudaLabeler */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class ITK_TEMPLATE_EXPORT BrickCudaConnectedComponentImageFilter
  : public CudaImageToImageFilter<TInputImage,
                                  TOutputImage,
                                  BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>>
{
public:
  using HostFilter = BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
  itkBrickFilterMacro(BrickCudaConnectedComponentImageFilter,
                      CudaImageToImageFilter<TInputImage, TOutputImage, HostFilter>);

  using OutputPixelType = typename TOutputImage::PixelType;
  using HostFilter::ImageDimension;

  /** Why the last Update labeled on the host; empty if pixels and labels stayed on the device. */
  itkGetStringMacro(HostReason);

  /** Releases the memory kept for the next Update, also on the device. */
  void
  ReleaseWorkspace()
  {
    m_Labeler.reset();
    HostFilter::ReleaseWorkspace();
  }

  /** As in BrickConnectedComponentImageFilter. \throws ExceptionObject also if the labels stayed on the device. */
  template <typename TLabelMap>
  typename TLabelMap::Pointer
  MakeLabelMap() const
  {
    if (m_Labeler != nullptr && m_HostReason.empty())
    {
      itkExceptionMacro("the labels stayed on the device; for a label map call GPUEnabledOff() and Update() first, or "
                        "use BrickLabelImageToShapeLabelMapFilter");
    }
    return HostFilter::template MakeLabelMap<TLabelMap>();
  }

protected:
  void
  GenerateData() override
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

  void
  GPUGenerateData() override
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

private:
  /** An image's buffer on the device, uploaded if necessary. */
  template <typename TImage>
  static void *
  BufferOnDevice(const TImage * image)
  {
    // This method, if it exists, means the same in every version; GetGPUBufferPointer does not.
    return *static_cast<void **>(image->GetCudaDataManager()->GetGPUBufferPointerPtr());
  }

  /** The engine's view of an image on the device. The state of the host's copy does not change. */
  template <typename TImage>
  static brickccl::ImageView
  ViewOnDevice(const TImage * image)
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

  /** The number of an image's device. */
  static int
  DeviceOf(const brickccl::ImageView & image)
  {
    cudaPointerAttributes place{};
    CUDA_CHECK(cudaPointerGetAttributes(&place, image.data));
    return place.device;
  }

  /** \throws brickccl::Unsupported, with the reason, for options that need the host. */
  void
  RequireDeviceCan(const brickccl::LabelOptions & options) const
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
    require(mask == nullptr || std::is_integral_v<typename TMaskImage::PixelType>,
            "the mask is not of an integer type");
    if (this->GetComputeComponentTable())
    {
      require(this->GetColumnGroups().List().empty(), "the device measures only the default columns");
      require(this->ProcessObject::GetInput("IntensityImage") == nullptr, "intensities are measured on the host");
      require(this->ProcessObject::GetInput("PartImage") == nullptr, "distances to a part are measured on the host");
      require(ImageDimension <= 3, "components of 4 dimensions are measured on the host");
    }
  }

  void
  LabelOnDevice()
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
    std::uint64_t                 count = m_Labeler->LabelOnDevice(options.algorithm,
                                                   image,
                                                   options.criterion,
                                                   options.mask,
                                                   *options.connectivity,
                                                   nullptr,
                                                   type);
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

  std::string                            m_HostReason;
  std::unique_ptr<brickccl::CudaLabeler> m_Labeler;
};

} // namespace itk

#endif
