// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickImageView_h
#define itkBrickImageView_h

#include "BrickCCL/Core/VolumeView.h"

#include "itkImage.h"
#include "itkImageAlgorithm.h"
#include "itkImageBase.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"
#include "itkMacro.h"
#include "itkNumericTraits.h"
#include "itkVectorImage.h"

#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>

namespace itk
{

template <typename TPixel, unsigned int VDimension>
std::true_type BrickHasPlainBuffer(const Image<TPixel, VDimension> *);
template <typename TPixel, unsigned int VDimension>
std::true_type  BrickHasPlainBuffer(const VectorImage<TPixel, VDimension> *);
std::false_type BrickHasPlainBuffer(const void *);

template <typename T>
bool
IsBrickNan([[maybe_unused]] T value)
{
  if constexpr (std::is_floating_point_v<T>)
  {
    return std::isnan(value);
  }
  return false;
}

/** Whether an image's buffer holds its pixels, as in itk::Image and itk::VectorImage. The buffer of an ImageAdaptor
 * does not: its pixels are computed. */
template <typename TImage>
constexpr bool IsBrickPlainImage = decltype(BrickHasPlainBuffer(static_cast<const TImage *>(nullptr)))::value;

/** The engine's view of an image's buffer. The image is an itk::VectorImage, or an itk::Image of scalars, RGB,
 *  RGBA, vectors or other fixed arrays. It must outlive the view. */
template <typename TImage>
brickccl::ImageView
ViewBrickBuffer(const TImage * image)
{
  static_assert(IsBrickPlainImage<TImage>,
                "pixels must be in the buffer of an itk::Image or itk::VectorImage; see BrickRegionView for others");
  static_assert(TImage::ImageDimension <= static_cast<unsigned>(brickccl::MaximumDimension),
                "images of up to 4 dimensions can be labeled");
  using ValueType = typename NumericTraits<typename TImage::PixelType>::ValueType;
  static_assert(!std::is_same_v<ValueType, long double>, "pixels of long double cannot be labeled; use double");
  std::int64_t size[TImage::ImageDimension];
  for (unsigned axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    size[axis] = static_cast<std::int64_t>(image->GetBufferedRegion().GetSize(axis));
  }
  return brickccl::ImageView(static_cast<const void *>(image->GetBufferPointer()),
                             brickccl::ScalarTypeOf<ValueType>(),
                             brickccl::Extent(TImage::ImageDimension, size),
                             static_cast<int>(image->GetNumberOfComponentsPerPixel()));
}

/** The engine's view of an image's pixels within a region, with a copy if the buffer does not hold exactly these
 * pixels. */
struct BrickRegionView
{
  brickccl::ImageView      view;
  DataObject::ConstPointer copy;
};

/** Copies the pixels of a region, each converted by a function, to a new image. */
template <typename TCopy, typename TImage, typename TConvert>
BrickRegionView
CopyBrickRegion(const TImage * image, const typename TImage::RegionType & region, const TConvert & convert)
{
  auto copy = TCopy::New();
  copy->SetRegions(region);
  copy->Allocate();
  ImageRegionConstIterator<TImage> from(image, region);
  for (ImageRegionIterator<TCopy> to(copy, region); !to.IsAtEnd(); ++to, ++from)
  {
    to.Set(convert(from.Get()));
  }
  return { ViewBrickBuffer(copy.GetPointer()), copy.GetPointer() };
}

/** \throws itk::ExceptionObject if a region of an image is not buffered. */
template <typename TImage>
void
RequireBrickRegion(const TImage * image, const typename TImage::RegionType & region)
{
  if (!image->GetBufferedRegion().IsInside(region))
  {
    itkGenericExceptionMacro("the image's buffered region " << image->GetBufferedRegion() << " must hold all of "
                                                            << region);
  }
}

/** \throws itk::InvalidRequestedRegionError if the largest region of a filter's input does not contain a region. If
 * VerifyInputInformation calls this, the filter can be updated again afterwards; after ITK's own later check it needs
 * ResetPipeline. */
template <unsigned int VDimension>
void
RequireBrickInputRegion(const std::string & name, const DataObject * input, const ImageRegion<VDimension> & region)
{
  const auto * const image = dynamic_cast<const ImageBase<VDimension> *>(input);
  if (image != nullptr && !image->GetLargestPossibleRegion().IsInside(region))
  {
    std::ostringstream message;
    message << "the input " << name << " has the region " << image->GetLargestPossibleRegion()
            << ", which does not contain the image's, " << region;
    InvalidRequestedRegionError error(__FILE__, __LINE__);
    error.SetLocation(ITK_LOCATION);
    error.SetDescription(message.str());
    error.SetDataObject(const_cast<DataObject *>(input));
    throw error;
  }
}

/** Views the pixels of a region: in the image's buffer if it holds exactly these, else in a copy. The image may be an
 *  ImageAdaptor. \throws itk::ExceptionObject if the region is not buffered. */
template <typename TImage>
BrickRegionView
MakeBrickRegionView(const TImage * image, const typename TImage::RegionType & region)
{
  using PixelType = typename TImage::PixelType;
  RequireBrickRegion(image, region);
  if constexpr (!IsBrickPlainImage<TImage>)
  {
    return CopyBrickRegion<Image<PixelType, TImage::ImageDimension>>(image, region, [](const PixelType & pixel) {
      return pixel;
    });
  }
  else
  {
    if (image->GetBufferedRegion() == region)
    {
      return { ViewBrickBuffer(image), nullptr };
    }
    auto copy = TImage::New();
    copy->SetRegions(region);
    copy->SetNumberOfComponentsPerPixel(image->GetNumberOfComponentsPerPixel());
    copy->Allocate();
    ImageAlgorithm::Copy(image, copy.GetPointer(), region, region);
    return { ViewBrickBuffer(copy.GetPointer()), copy.GetPointer() };
  }
}

/** Views a mask. Voxels where the mask is not 0 are labeled, as in ITK, also where it is NaN, which the engine would
 * skip. */
template <typename TMask>
BrickRegionView
MakeBrickMaskView(const TMask * mask, const typename TMask::RegionType & region)
{
  using PixelType = typename TMask::PixelType;
  if constexpr (std::is_floating_point_v<PixelType>)
  {
    RequireBrickRegion(mask, region);
    return CopyBrickRegion<Image<unsigned char, TMask::ImageDimension>>(mask, region, [](PixelType value) {
      return static_cast<unsigned char>(IsBrickNan(value) || value != 0 ? 1 : 0);
    });
  }
  else
  {
    return MakeBrickRegionView(mask, region);
  }
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
