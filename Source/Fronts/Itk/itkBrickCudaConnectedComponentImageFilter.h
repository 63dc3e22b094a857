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
 * Options, defaults, labels and errors are those of BrickConnectedComponentImageFilter. The image is taken where the
 * device has it, and is uploaded first if only the host has it. The labels are left on the device; ITKCudaCommon brings
 * them to the host once somebody reads them there. The work goes on the default stream of the image's device.
 *
 * Some options need the host: periodic axes, neighbourhoods that are no rank (SetNeighbourhood), a BackgroundValue
 * other than 0, labels of a floating type, a mask of a floating type or of a larger region, further columns, an
 * intensity or part image, the table of 4-D images, an Algorithm without CUDA, another Device than the image's. The
 * filter then labels as BrickConnectedComponentImageFilter does, with the same result, warns, and says why in
 * HostReason. With GPUEnabledOff or the Device "cpu" it does so without a warning.
 *
 * MakeLabelMap needs labels that were made through the host.
 *
 * It is there where BrickCCL was configured with BRICKCCL_USE_ITKCUDACOMMON, and needs ITKCudaCommon 2.1 or later.
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

  /** Why the last Update labeled through the host; empty if pixels and labels stayed on the device. */
  itkGetStringMacro(HostReason);

  /** Gives back the memory that is kept for the next Update, on the device, too. */
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
  /** An image's buffer on the device, which is brought there if it has to be. */
  template <typename TImage>
  static void * BufferOnDevice(const TImage * image);

  /** The engine's view of an image on the device. What the host has of it stays as new or old as it is. */
  template <typename TImage>
  static brickccl::ImageView ViewOnDevice(const TImage * image);

  /** The number of the device where an image lies. */
  static int DeviceOf(const brickccl::ImageView & image);

  /** \throws brickccl::Unsupported, which says why, for what only the host can do. */
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
