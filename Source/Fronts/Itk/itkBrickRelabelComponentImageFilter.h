// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickRelabelComponentImageFilter_h
#define itkBrickRelabelComponentImageFilter_h

#include "itkBrickImageView.h"
#include "itkBrickLabelCounts.h"
#include "itkBrickMacro.h"

#include "itkInPlaceImageFilter.h"

#include <vector>

namespace itk
{

/** \class BrickRelabelComponentImageFilter
 * \brief Numbers the objects of a label image 1, 2, 3 ... by size or in their order, and drops small ones; replaces
 * RelabelComponentImageFilter.
 *
 * Every nonzero value is the label of an object. Objects are numbered by size, the largest first, equal sizes by label
 * (SortByObjectSizeOff: all by label). Objects with fewer pixels than MinimumObjectSize become 0. The output equals the
 * output of ITK's filter; it can also run in place, and produces only the requested region.
 *
 * If the output pixel type cannot hold the numbers, Update throws before anything is written; this also holds for
 * floating types, which ITK's filter rounds. NaN is an error. Sizes are not looked up in a map for each pixel, so it is
 * faster, especially with many objects.
 *
 * \sa RelabelComponentImageFilter, BrickConnectedComponentImageFilter */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickRelabelComponentImageFilter : public InPlaceImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickClassMacro(BrickRelabelComponentImageFilter, InPlaceImageFilter<TInputImage, TOutputImage>);
  itkNewMacro(Self);

  using InputImageType = TInputImage;
  using InputImagePointer = typename Superclass::InputImagePointer;
  using InputPixelType = typename TInputImage::PixelType;
  using InputInternalPixelType = typename TInputImage::InternalPixelType;
  using OutputImageType = TOutputImage;
  using OutputPixelType = typename TOutputImage::PixelType;
  using OutputInternalPixelType = typename TOutputImage::InternalPixelType;
  using IndexType = typename TInputImage::IndexType;
  using SizeType = typename TInputImage::SizeType;
  using RegionType = typename TOutputImage::RegionType;
  using LabelType = InputPixelType;
  using ObjectSizeType = SizeValueType;
  using ObjectSizeInPixelsContainerType = std::vector<ObjectSizeType>;
  using ObjectSizeInPhysicalUnitsContainerType = std::vector<float>;
  static constexpr unsigned int ImageDimension = TOutputImage::ImageDimension;
  static constexpr unsigned int InputImageDimension = TInputImage::ImageDimension;
  static_assert(ImageDimension == InputImageDimension, "input and output must have the same dimension");
  static_assert(IsBrickPlainImage<TOutputImage>, "the output must be an itk::Image, not an adaptor");

  /** The number of objects in the output. Valid after Update. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);

  /** The number of objects before small ones were dropped. Valid after Update. */
  itkGetConstMacro(OriginalNumberOfObjects, SizeValueType);

  /** The number of objects described by Print. Default: 10. */
  itkSetMacro(NumberOfObjectsToPrint, SizeValueType);
  itkGetConstReferenceMacro(NumberOfObjectsToPrint, SizeValueType);

  /** Objects with fewer pixels become background. Default: 0. */
  itkSetMacro(MinimumObjectSize, ObjectSizeType);
  itkGetConstMacro(MinimumObjectSize, ObjectSizeType);

  /** Whether to number objects by size, the largest first. Default: on. */
  itkSetMacro(SortByObjectSize, bool);
  itkGetConstMacro(SortByObjectSize, bool);
  itkBooleanMacro(SortByObjectSize);

  /** The sizes of the objects 1, 2, 3 ... Valid after Update. */
  const ObjectSizeInPixelsContainerType &
  GetSizeOfObjectsInPixels() const
  {
    return m_SizeOfObjectsInPixels;
  }
  const ObjectSizeInPhysicalUnitsContainerType &
  GetSizeOfObjectsInPhysicalUnits() const
  {
    return m_SizeOfObjectsInPhysicalUnits;
  }

  /** The size of one object; 0 if there is no such object. Valid after Update. */
  ObjectSizeType
  GetSizeOfObjectInPixels(LabelType object) const
  {
    return IsObject(object) ? m_SizeOfObjectsInPixels[static_cast<std::size_t>(object) - 1] : 0;
  }
  float
  GetSizeOfObjectInPhysicalUnits(LabelType object) const
  {
    return IsObject(object) ? m_SizeOfObjectsInPhysicalUnits[static_cast<std::size_t>(object) - 1] : 0;
  }

protected:
  BrickRelabelComponentImageFilter()
  {
    this->InPlaceOff();
  }
  ~BrickRelabelComponentImageFilter() override = default;

  itkBrickWholeInputMacro();
  void GenerateData() override;
  void PrintSelf(std::ostream & os, Indent indent) const override;

private:
  using CountsType = BrickLabelCounts<InputPixelType>;

  bool
  IsObject(LabelType object) const
  {
    return object > LabelType(0) && static_cast<SizeValueType>(object) <= m_NumberOfObjects;
  }

  /** \return for every label, by index, its number in the output, and 0 for the background */
  std::vector<OutputPixelType> NumberObjects(const CountsType & counts);

  /** Writes the rows of the output's requested region. */
  void WriteNumbers(BrickProgress &                      progress,
                    const InputPixelType *               pixels,
                    const CountsType &                   counts,
                    const std::vector<OutputPixelType> & numbers);

  SizeValueType                          m_NumberOfObjects{ 0 };
  SizeValueType                          m_NumberOfObjectsToPrint{ 10 };
  SizeValueType                          m_OriginalNumberOfObjects{ 0 };
  ObjectSizeType                         m_MinimumObjectSize{ 0 };
  bool                                   m_SortByObjectSize{ true };
  ObjectSizeInPixelsContainerType        m_SizeOfObjectsInPixels;
  ObjectSizeInPhysicalUnitsContainerType m_SizeOfObjectsInPhysicalUnits;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkBrickRelabelComponentImageFilter.hxx"
#endif

#endif
