// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickShapeChoiceImageFilter_h
#define itkBrickShapeChoiceImageFilter_h

#include "itkBrickLabelMap.h"
#include "itkBrickMacro.h"

#include "itkLabelMap.h"
#include "itkLabelMapUtilities.h"
#include "itkLabelObjectAccessors.h"
#include "itkShapeLabelObject.h"
#include "itkShapeLabelObjectAccessors.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace itk
{

/** \class BrickShapeChoiceImageFilter
 * \brief Adds to an image filter the parameters to choose objects as in ITK's filters: a shape attribute and its order.
 */
template <typename TSuperclass, typename TLabel>
class ITK_TEMPLATE_EXPORT BrickShapeChoiceImageFilter : public TSuperclass
{
public:
  itkBrickBaseMacro(BrickShapeChoiceImageFilter, TSuperclass);

  using OutputImagePixelType = typename TSuperclass::OutputImageType::PixelType;
  static constexpr unsigned int ImageDimension = TSuperclass::OutputImageType::ImageDimension;
  using LabelType = TLabel;
  using LabelObjectType = ShapeLabelObject<LabelType, ImageDimension>;
  using LabelMapType = LabelMap<LabelObjectType>;
  using AttributeType = typename LabelObjectType::AttributeType;

  /** The value of removed objects. Default: the lowest of the type. */
  itkSetMacro(BackgroundValue, OutputImagePixelType);
  itkGetConstMacro(BackgroundValue, OutputImagePixelType);

  /** Whether to keep objects with low values instead of high ones. Default: off. */
  itkGetConstMacro(ReverseOrdering, bool);
  itkSetMacro(ReverseOrdering, bool);
  itkBooleanMacro(ReverseOrdering);

  /** The attribute. Default: NumberOfPixels. */
  itkGetConstMacro(Attribute, AttributeType);
  itkSetMacro(Attribute, AttributeType);
  void
  SetAttribute(const std::string & name)
  {
    this->SetAttribute(LabelObjectType::GetAttributeFromName(name));
  }

protected:
  /** Whether the attribute orders objects by their numbers of pixels, so that no label objects are needed. */
  bool
  IsBySize() const
  {
    return m_Attribute == LabelObjectType::NUMBER_OF_PIXELS || m_Attribute == LabelObjectType::PHYSICAL_SIZE;
  }

  /** The attributes that label objects need. */
  BrickAttributeChoice
  AttributeChoice() const
  {
    return { m_Attribute == LabelObjectType::PERIMETER || m_Attribute == LabelObjectType::ROUNDNESS ||
               m_Attribute == LabelObjectType::PERIMETER_ON_BORDER_RATIO,
             m_Attribute == LabelObjectType::FERET_DIAMETER,
             false };
  }

  /** The attribute of each object of a label map. */
  std::vector<double>
  ReadAttribute(const LabelMapType * map)
  {
    m_Map = map;
    switch (m_Attribute)
    {
      itkShapeLabelMapFilterDispatchMacro() default
        : throw brickccl::InvalidArgument("objects cannot be ordered by the attribute " +
                                          LabelObjectType::GetNameFromAttribute(m_Attribute));
    }
    return std::move(m_Values);
  }

  /** Returns for each object whether it is one of this many with the highest values, or lowest with ReverseOrdering. */
  std::vector<bool>
  ChooseObjects(const std::vector<double> & values, SizeValueType count) const
  {
    std::vector<bool> isKept(values.size(), true);
    if (count < values.size())
    {
      std::vector<std::size_t> order(values.size());
      std::iota(order.begin(), order.end(), std::size_t{ 0 });
      const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
      // The function of ITK's filter, for the same choice among equals.
      std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return m_ReverseOrdering ? values[a] < values[b] : values[a] > values[b];
      });
      std::for_each(end, order.end(), [&](std::size_t object) { isKept[object] = false; });
    }
    return isKept;
  }

private:
  /** Reads an attribute through ITK's accessor; called by itkShapeLabelMapFilterDispatchMacro. */
  template <typename TAccessor>
  void
  TemplatedGenerateData(const TAccessor & accessor)
  {
    m_Values.clear();
    for (typename LabelMapType::ConstIterator it(m_Map); !it.IsAtEnd(); ++it)
    {
      m_Values.push_back(static_cast<double>(accessor(it.GetLabelObject())));
    }
  }

  OutputImagePixelType m_BackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
  bool                 m_ReverseOrdering{ false };
  AttributeType        m_Attribute{ LabelObjectType::NUMBER_OF_PIXELS };
  const LabelMapType * m_Map{ nullptr };
  std::vector<double>  m_Values;
};

} // namespace itk

#endif
