// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryShapeKeepNObjectsImageFilter_h
#define itkBrickBinaryShapeKeepNObjectsImageFilter_h

#include "itkBrickBinaryShapeImageFilter.h"

namespace itk
{

/** \class BrickBinaryShapeKeepNObjectsImageFilter
 * \brief Keeps the N objects of a binary image that have the highest (or lowest) value of a shape attribute; replaces
 * BinaryShapeKeepNObjectsImageFilter, also if several objects have the same value of the attribute.
 *
 * \sa BinaryShapeKeepNObjectsImageFilter, BrickBinaryShapeImageFilter,
 * BrickConnectedComponentImageFilter::SetNumberOfLargestObjects */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryShapeKeepNObjectsImageFilter : public BrickBinaryShapeImageFilter<TInputImage>
{
public:
  itkBrickClassMacro(BrickBinaryShapeKeepNObjectsImageFilter, BrickBinaryShapeImageFilter<TInputImage>);
  itkNewMacro(Self);

  /** The number of objects to keep. Default: 0, as in ITK. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);
  itkSetMacro(NumberOfObjects, SizeValueType);

protected:
  BrickBinaryShapeKeepNObjectsImageFilter() = default;
  ~BrickBinaryShapeKeepNObjectsImageFilter() override = default;

  std::vector<bool>
  KeepObjects(const std::vector<double> & values) const override
  {
    return this->ChooseObjects(values, m_NumberOfObjects);
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "NumberOfObjects: " << m_NumberOfObjects << std::endl;
  }

private:
  SizeValueType m_NumberOfObjects{ 0 };
};

} // namespace itk

#endif
