#ifndef itkBrickBinaryShapeKeepNObjectsImageFilter_hxx
#define itkBrickBinaryShapeKeepNObjectsImageFilter_hxx

#include "itkBrickBinaryShapeKeepNObjectsImageFilter.h"

#include <algorithm>
#include <numeric>

namespace itk
{

template <typename TInputImage>
void
BrickBinaryShapeKeepNObjectsImageFilter<TInputImage>::GenerateData()
{
  RunBrickWork(this, [this] {
    BrickProgress         progress(this);
    const BrickRegionView input = MakeBrickRegionView(this->GetInput(), this->GetInput()->GetLargestPossibleRegion());
    progress.Stage(0, 0.5);
    brickccl::LabelOptions options;
    options.connectivity = this->MakeConnectivity();
    options.criterion = brickccl::Criterion::InRange(this->GetForegroundValue(), this->GetForegroundValue());
    options.geometry = MakeBrickGeometry<ImageDimension>(this->GetInput());
    options.threads = BrickThreadsOf(this);
    options.progress = progress.Hooks();
    const brickccl::Labeling labeling = brickccl::Label(input.view, options);
    progress.Stage(0.5, 0.8);
    const std::vector<bool> isKept = this->ChooseObjects(this->MeasureAttribute(labeling, progress));

    progress.Stage(0.8, 1);
    this->AllocateOutputs();
    const auto * const           pixels = static_cast<const InputImagePixelType *>(input.view.data);
    OutputImagePixelType * const output = this->GetOutput()->GetBufferPointer();
    const brickccl::Extent &     extent = labeling.GetExtent();
    ForBrickPieces(this, progress, extent.RowCount(), [&](std::int64_t begin, std::int64_t end, std::size_t) {
      std::copy(pixels + begin * extent.RowLength(),
                pixels + end * extent.RowLength(),
                output + begin * extent.RowLength());
      for (const brickccl::LabelRun & run : labeling.ListRuns(begin, end))
      {
        if (!isKept[static_cast<std::size_t>(run.label - 1)])
        {
          std::fill_n(output + run.place, run.length, m_BackgroundValue);
        }
      }
    });
  });
}

template <typename TInputImage>
std::vector<double>
BrickBinaryShapeKeepNObjectsImageFilter<TInputImage>::MeasureAttribute(const brickccl::Labeling & labeling,
                                                                       BrickProgress &            progress)
{
  std::vector<double> values;
  if (m_Attribute == LabelObjectType::NUMBER_OF_PIXELS || m_Attribute == LabelObjectType::PHYSICAL_SIZE)
  {
    for (const auto & component : labeling.Measure({}, progress.Hooks()).components)
    {
      values.push_back(static_cast<double>(component.voxelCount));
    }
    return values;
  }
  brickccl::MeasureOptions options;
  options.groups.Add("shape");
  if (m_Attribute == LabelObjectType::PERIMETER || m_Attribute == LabelObjectType::ROUNDNESS ||
      m_Attribute == LabelObjectType::PERIMETER_ON_BORDER_RATIO)
  {
    options.groups.Add("surface");
  }
  if (m_Attribute == LabelObjectType::FERET_DIAMETER)
  {
    options.groups.Add("feret");
  }
  m_Map = MakeBrickLabelMap<LabelMapType>(labeling,
                                          labeling.Measure(options, progress.Hooks()),
                                          static_cast<const ImageBase<ImageDimension> *>(this->GetInput()));
  switch (m_Attribute)
  {
    itkShapeLabelMapFilterDispatchMacro() default
      : throw brickccl::InvalidArgument("objects cannot be ordered by the attribute " +
                                        LabelObjectType::GetNameFromAttribute(m_Attribute));
  }
  m_Map = nullptr;
  values.swap(m_Values);
  return values;
}

template <typename TInputImage>
std::vector<bool>
BrickBinaryShapeKeepNObjectsImageFilter<TInputImage>::ChooseObjects(const std::vector<double> & values) const
{
  std::vector<bool> isKept(values.size(), true);
  if (m_NumberOfObjects < values.size())
  {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{ 0 });
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(m_NumberOfObjects);
    // The function of ITK's filter, which so chooses the same among equals.
    if (m_ReverseOrdering)
    {
      std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return values[a] < values[b];
      });
    }
    else
    {
      std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return values[a] > values[b];
      });
    }
    std::for_each(end, order.end(), [&](std::size_t component) { isKept[component] = false; });
  }
  return isKept;
}

template <typename TInputImage>
void
BrickBinaryShapeKeepNObjectsImageFilter<TInputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  using PrintType = typename NumericTraits<OutputImagePixelType>::PrintType;
  Superclass::PrintSelf(os, indent);
  os << indent << "BackgroundValue: " << static_cast<PrintType>(m_BackgroundValue) << std::endl;
  os << indent << "NumberOfObjects: " << m_NumberOfObjects << std::endl;
  os << indent << "ReverseOrdering: " << m_ReverseOrdering << std::endl;
  os << indent << "Attribute: " << LabelObjectType::GetNameFromAttribute(m_Attribute) << " (" << m_Attribute << ")"
     << std::endl;
}

} // namespace itk

#endif
