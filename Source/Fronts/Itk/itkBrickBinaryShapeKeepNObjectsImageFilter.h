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
  itkBrickFilterMacro(BrickBinaryShapeKeepNObjectsImageFilter, BrickBinaryShapeImageFilter<TInputImage>);

  /** The number of objects to keep. Default: 0, as in ITK. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);
  itkSetMacro(NumberOfObjects, SizeValueType);

protected:
  std::vector<bool>
  KeepObjects(const std::vector<double> & values) const override
  {
    return this->ChooseObjects(values, m_NumberOfObjects);
  }

private:
  SizeValueType m_NumberOfObjects{ 0 };
};

} // namespace itk

#endif
