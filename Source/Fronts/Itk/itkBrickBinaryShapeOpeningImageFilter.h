// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryShapeOpeningImageFilter_h
#define itkBrickBinaryShapeOpeningImageFilter_h

#include "itkBrickBinaryShapeImageFilter.h"

namespace itk
{

/** \class BrickBinaryShapeOpeningImageFilter
 * \brief Removes the objects of a binary image whose shape attribute is below a value (with ReverseOrdering, above it);
 * replaces BinaryShapeOpeningImageFilter.
 *
 * \sa BinaryShapeOpeningImageFilter, BrickBinaryShapeImageFilter */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryShapeOpeningImageFilter : public BrickBinaryShapeImageFilter<TInputImage>
{
public:
  itkBrickFilterMacro(BrickBinaryShapeOpeningImageFilter, BrickBinaryShapeImageFilter<TInputImage>);

  /** The value of the attribute from which objects are kept. Default: 0. */
  itkGetConstMacro(Lambda, double);
  itkSetMacro(Lambda, double);

protected:
  std::vector<bool>
  KeepObjects(const std::vector<double> & values) const override
  {
    std::vector<bool> isKept;
    for (const double value : values)
    {
      isKept.push_back(!(this->GetReverseOrdering() ? value > m_Lambda : value < m_Lambda));
    }
    return isKept;
  }

private:
  double m_Lambda{ 0 };
};

} // namespace itk

#endif
