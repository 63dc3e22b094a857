#ifndef itkBrickBinaryShapeKeepNObjectsImageFilter_h
#define itkBrickBinaryShapeKeepNObjectsImageFilter_h

#include "itkBrickBinaryImageFilter.h"
#include "itkBrickLabelCounts.h"
#include "itkBrickLabelMap.h"

#include "itkLabelMapUtilities.h"
#include "itkLabelMap.h"
#include "itkLabelObjectAccessors.h"
#include "itkShapeLabelObject.h"
#include "itkShapeLabelObjectAccessors.h"

#include <string>
#include <vector>

namespace itk
{

/** \class BrickBinaryShapeKeepNObjectsImageFilter
 * \brief Keeps the N objects of a binary image that have the highest (or lowest) value of a shape attribute; takes the
 * place of BinaryShapeKeepNObjectsImageFilter.
 *
 * Objects are components of the pixels that equal ForegroundValue. Those that are not kept become BackgroundValue;
 * pixels of other values stay. The output is that of ITK's filter, also where several objects have the same value of
 * the attribute, but for attributes that BrickLabelImageToShapeLabelMapFilter defines otherwise. PerimeterOnBorderRatio
 * is computed where it is asked for (ITK sorts by 0 then).
 *
 * By the number of pixels and the physical size it needs no label objects, and is much faster.
 *
 * \sa BinaryShapeKeepNObjectsImageFilter, BrickConnectedComponentImageFilter::SetNumberOfLargestObjects */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryShapeKeepNObjectsImageFilter : public BrickBinaryImageFilter<TInputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(BrickBinaryShapeKeepNObjectsImageFilter);

  using Self = BrickBinaryShapeKeepNObjectsImageFilter;
  using Superclass = BrickBinaryImageFilter<TInputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkBrickNameOfClassMacro(BrickBinaryShapeKeepNObjectsImageFilter, BrickBinaryImageFilter);

  using Superclass::ImageDimension;
  using typename Superclass::InputImagePixelType;
  using typename Superclass::OutputImagePixelType;

  using LabelType = SizeValueType;
  using LabelObjectType = ShapeLabelObject<LabelType, Self::ImageDimension>;
  using LabelMapType = LabelMap<LabelObjectType>;
  using AttributeType = typename LabelObjectType::AttributeType;

  /** The value of objects that are not kept. Default: the lowest of the type. */
  itkSetMacro(BackgroundValue, OutputImagePixelType);
  itkGetConstMacro(BackgroundValue, OutputImagePixelType);

  /** How many objects are kept. Default: 0, as in ITK. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);
  itkSetMacro(NumberOfObjects, SizeValueType);

  /** Whether those with the lowest values are kept. Default: off. */
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
  BrickBinaryShapeKeepNObjectsImageFilter() = default;
  ~BrickBinaryShapeKeepNObjectsImageFilter() override = default;

  void GenerateData() override;
  void PrintSelf(std::ostream & os, Indent indent) const override;

private:
  /** The attribute's value for every component. */
  std::vector<double> MeasureAttribute(const brickccl::Labeling & labeling, BrickProgress & progress);

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

  /** For each component whether it is kept. */
  std::vector<bool> ChooseObjects(const std::vector<double> & values) const;

  OutputImagePixelType           m_BackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
  SizeValueType                  m_NumberOfObjects{ 0 };
  bool                           m_ReverseOrdering{ false };
  AttributeType                  m_Attribute{ LabelObjectType::NUMBER_OF_PIXELS };
  typename LabelMapType::Pointer m_Map;
  std::vector<double>            m_Values;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkBrickBinaryShapeKeepNObjectsImageFilter.hxx"
#endif

#endif
