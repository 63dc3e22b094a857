// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickCudaConnectedComponentImageFilter_h
#define itkBrickCudaConnectedComponentImageFilter_h

#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "itkBrickConnectedComponentImageFilter.h"

#include "itkCudaImage.h"
#include "itkCudaImageToImageFilter.h"

#include <memory>
#include <string>

namespace itk
{

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
  itkBrickClassMacro(BrickCudaConnectedComponentImageFilter,
                     CudaImageToImageFilter<TInputImage, TOutputImage, HostFilter>);
  itkNewMacro(Self);

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
  typename TLabelMap::Pointer MakeLabelMap() const;

protected:
  BrickCudaConnectedComponentImageFilter() = default;
  ~BrickCudaConnectedComponentImageFilter() override = default;

  void GenerateData() override;
  void GPUGenerateData() override;

private:
  /** An image's buffer on the device, uploaded if necessary. */
  template <typename TImage>
  static void * BufferOnDevice(const TImage * image);

  /** The engine's view of an image on the device. The state of the host's copy does not change. */
  template <typename TImage>
  static brickccl::ImageView ViewOnDevice(const TImage * image);

  /** The number of an image's device. */
  static int DeviceOf(const brickccl::ImageView & image);

  /** \throws brickccl::Unsupported, with the reason, for options that need the host. */
  void RequireDeviceCan(const brickccl::LabelOptions & options) const;
  void LabelOnDevice();

  std::string                            m_HostReason;
  std::unique_ptr<brickccl::CudaLabeler> m_Labeler;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkBrickCudaConnectedComponentImageFilter.hxx"
#endif

#endif
