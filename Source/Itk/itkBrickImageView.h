#ifndef itkBrickImageView_h
#define itkBrickImageView_h

#include "BrickCCL/Core/VolumeView.h"

#include "itkImageBase.h"
#include "itkMacro.h"
#include "itkNumericTraits.h"

namespace itk
{

/** The engine's view of an ITK image's buffer. The image is an itk::VectorImage, or an itk::Image of scalars, RGB,
 *  RGBA, vectors or other fixed arrays. It must be buffered as a whole and must outlive the view. \throws
 *  itk::ExceptionObject if it is not buffered as a whole. */
template <typename TImage>
brickccl::ImageView
MakeBrickImageView(const TImage * image)
{
  static_assert(TImage::ImageDimension <= static_cast<unsigned>(brickccl::MaximumDimension),
                "images of up to 4 dimensions can be labeled");
  using ValueType = typename NumericTraits<typename TImage::PixelType>::ValueType;
  const auto region = image->GetBufferedRegion();
  if (region != image->GetLargestPossibleRegion())
  {
    itkGenericExceptionMacro("the image must be buffered as a whole, but " << region << " is not "
                                                                           << image->GetLargestPossibleRegion());
  }
  std::int64_t size[TImage::ImageDimension];
  for (unsigned axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    size[axis] = static_cast<std::int64_t>(region.GetSize(axis));
  }
  return brickccl::ImageView(static_cast<const void *>(image->GetBufferPointer()),
                             brickccl::ScalarTypeOf<ValueType>(),
                             brickccl::Extent(TImage::ImageDimension, size),
                             static_cast<int>(image->GetNumberOfComponentsPerPixel()));
}

/** Spacing, origin, direction and region start of an ITK image. */
template <unsigned int VDimension>
brickccl::Geometry
MakeBrickGeometry(const ImageBase<VDimension> * image)
{
  brickccl::Geometry geometry;
  for (unsigned row = 0; row < VDimension; ++row)
  {
    geometry.spacing[row] = image->GetSpacing()[row];
    geometry.origin[row] = image->GetOrigin()[row];
    geometry.startIndex[row] = image->GetLargestPossibleRegion().GetIndex(row);
    for (unsigned axis = 0; axis < VDimension; ++axis)
    {
      geometry.direction[row][axis] = image->GetDirection()[row][axis];
    }
  }
  return geometry;
}

} // namespace itk

#endif
