// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickScalarConnectedComponentImageFilter_h
#define itkBrickScalarConnectedComponentImageFilter_h

#include "itkBrickConnectedComponentImageFilter.h"

namespace itk
{

/** \class BrickScalarConnectedComponentImageFilter
 * \brief Labels components of neighboring pixels whose values differ by at most a threshold; replaces
 * ScalarConnectedComponentImageFilter.
 *
 * Every pixel belongs to a component, also of value 0, unless a mask excludes it. The components equal ITK's unless its
 * differences wrap: here they are exact for every type. Labels are 1, 2, 3 ... in the raster order of first pixels,
 * while ITK's have gaps; ObjectCount is set, and labels that the output type cannot hold are an error, while ITK warns
 * and merges objects. NaN gets the label of the background.
 *
 * Everything else is as in BrickConnectedComponentImageFilter: connectivities, size filters, the component table,
 * threads. It has the other criteria, so SetCriterion is not available here.
 *
 * \sa ScalarConnectedComponentImageFilter, BrickConnectedComponentImageFilter */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class ITK_TEMPLATE_EXPORT BrickScalarConnectedComponentImageFilter
  : public BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>
{
public:
  itkBrickFilterMacro(BrickScalarConnectedComponentImageFilter,
                      BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>);
  using InputPixelType = typename TInputImage::PixelType;

  /** The largest difference of two joined neighbors. A negative one is an error at Update. Default: 0. */
  virtual void
  SetDistanceThreshold(const InputPixelType & threshold)
  {
    if (!(m_DistanceThreshold == threshold))
    {
      m_DistanceThreshold = threshold;
      this->Modified();
    }
  }
  virtual InputPixelType
  GetDistanceThreshold()
  {
    return m_DistanceThreshold;
  }

  void SetCriterion(const brickccl::Criterion & criterion) = delete;

protected:
  brickccl::Criterion
  MakeCriterion() const override
  {
    // Wrapped languages still find SetCriterion.
    brickccl::ThrowIf<brickccl::InvalidArgument>(
      this->GetCriterion() != brickccl::Criterion(),
      "DistanceThreshold joins the pixels here; to set a Criterion, use BrickConnectedComponentImageFilter");
    return brickccl::Criterion::Tolerance(m_DistanceThreshold, std::nullopt);
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent
       << "DistanceThreshold: " << static_cast<typename NumericTraits<InputPixelType>::PrintType>(m_DistanceThreshold)
       << std::endl;
  }

private:
  InputPixelType m_DistanceThreshold{};
};

} // namespace itk

#endif
