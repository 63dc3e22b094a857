// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickConnectedComponentImageFilter_hxx
#define itkBrickConnectedComponentImageFilter_hxx

#include "itkBrickConnectedComponentImageFilter.h"

namespace itk
{

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::BrickConnectedComponentImageFilter()
{
  this->AddOptionalInputName("MaskImage", 1);
  this->AddOptionalInputName("IntensityImage", 2);
  this->AddOptionalInputName("PartImage", 3);
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
const brickccl::ComponentTable &
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GetComponentTable() const
{
  if (!m_HasComponentTable)
  {
    itkExceptionMacro("there is no component table yet; call ComputeComponentTableOn() and Update() first");
  }
  return m_ComponentTable;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::VerifyInputInformation() const
{
  Superclass::VerifyInputInformation();
  for (const auto & name : this->GetInputNames())
  {
    RequireBrickInputRegion(name, this->ProcessObject::GetInput(name), this->GetInput()->GetLargestPossibleRegion());
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
brickccl::LabelOptions
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MakeOptions(
  const brickccl::ProgressHooks & hooks) const
{
  brickccl::LabelOptions options;
  const unsigned int     dimension = ImageDimension - (m_SliceAxis >= 0 ? 1 : 0);
  auto connectivity = m_Connectivity != 0 ? brickccl::Connectivity::FromNeighborCount(static_cast<int>(m_Connectivity),
                                                                                      static_cast<int>(dimension))
                                          : MakeBrickConnectivity(m_FullyConnected, dimension);
  options.connectivity = m_Neighborhood   ? *m_Neighborhood
                       : m_SliceAxis >= 0 ? connectivity.WithinSlices(m_SliceAxis)
                                          : connectivity;
  options.periodic = m_PeriodicAxes;
  options.criterion = this->MakeCriterion();
  options.relabel.order = m_Order;
  options.relabel.minimumSize = m_MinimumObjectSize;
  options.relabel.maximumSize = m_MaximumObjectSize;
  options.relabel.largest = m_NumberOfLargestObjects;
  options.minimumVolume = m_MinimumObjectVolume;
  options.geometry = MakeBrickGeometry<ImageDimension>(this->GetInput());
  options.algorithm = m_Algorithm;
  options.device = brickccl::Device::FromName(m_Device);
  options.threads = BrickThreadsOf(const_cast<Self *>(this));
  options.progress = hooks;
  return options;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
std::optional<BrickRegionView>
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::ViewOtherInput(
  const char *         name,
  const ViewFunction & view,
  const RegionType &   region) const
{
  if (const DataObject * const input = this->ProcessObject::GetInput(name))
  {
    return view(input, region);
  }
  return std::nullopt;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
template <typename TLabelMap>
typename TLabelMap::Pointer
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MakeLabelMap() const
{
  static_assert(TLabelMap::ImageDimension == ImageDimension, "the label map must have the input's dimension");
  if (!m_Grid)
  {
    itkExceptionMacro("there are no components yet; call Update() first");
  }
  brickccl::ColumnGroups groups = BrickGroupsOfAttributes<typename TLabelMap::LabelObjectType>();
  if (groups.Has("shape") && ImageDimension <= 3 && m_ColumnGroups.Has("feret"))
  {
    groups.Add("feret");
  }
  typename TLabelMap::Pointer map;
  RunBrickWork(this, [&] {
    brickccl::MeasureOptions       options;
    std::optional<BrickRegionView> intensity;
    if (groups.Has("intensity"))
    {
      intensity = this->ViewOtherInput("IntensityImage", m_ViewIntensity, m_Grid->GetLargestPossibleRegion());
    }
    options.groups = groups;
    if (intensity)
    {
      options.intensity = intensity->view;
    }
    const brickccl::ComponentTable table =
      groups.Has("shape") ? m_Labeling.Measure(options) : brickccl::ComponentTable();
    map = MakeBrickLabelMap<TLabelMap>(m_Labeling, table, m_Grid.GetPointer(), options.intensity);
  });
  return map;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateData()
{
  this->SetComponents(0, nullptr);
  RunBrickWork(this, [this] {
    const RegionType region = this->GetInput()->GetLargestPossibleRegion();
    // Labeling is 70 percent of the filter's progress, writing 20 and measuring 10.
    BrickProgress progress(this);
    progress.Stage(0, 0.7);
    const BrickRegionView  image = MakeBrickRegionView(this->GetInput(), region);
    BrickRegionView        mask;
    brickccl::LabelOptions options = this->MakeOptions(progress.Hooks());
    if (this->GetMaskImage() != nullptr)
    {
      mask = MakeBrickMaskView(this->GetMaskImage(), region);
      options.mask = mask.view;
    }
    brickccl::Label(image.view, options, m_Labeling);
    if (!m_Labeling.UsedDevice().remark.empty())
    {
      itkWarningMacro(<< m_Labeling.UsedDevice().remark);
    }

    progress.Stage(0.7, 0.9);
    this->AllocateOutputs();
    m_Labeling.Write(this->GetOutput()->GetBufferPointer(), m_BackgroundValue, progress.Hooks());

    progress.Stage(0.9, 1);
    if (m_ComputeComponentTable)
    {
      this->MeasureTable(region, progress.Hooks());
    }
    m_ObjectCount = m_Labeling.ComponentCount();
    m_Grid = ImageBase<ImageDimension>::New();
    m_Grid->CopyInformation(this->GetInput());
    m_Grid->SetMetaDataDictionary(this->GetInput()->GetMetaDataDictionary());
    m_Grid->SetRegions(region);
    this->UpdateProgress(1.0f);
  });
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MeasureTable(
  const RegionType &              region,
  const brickccl::ProgressHooks & hooks)
{
  const auto               intensity = this->ViewOtherInput("IntensityImage", m_ViewIntensity, region);
  const auto               part = this->ViewOtherInput("PartImage", m_ViewPart, region);
  brickccl::MeasureOptions options;
  options.groups = m_ColumnGroups;
  if (intensity)
  {
    options.intensity = intensity->view;
  }
  if (part)
  {
    options.part = part->view;
  }
  m_ComponentTable = m_Labeling.Measure(options, hooks);
  m_HasComponentTable = true;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::PrintSelf(std::ostream & os,
                                                                                     Indent         indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "FullyConnected: " << (m_FullyConnected ? "On" : "Off") << std::endl;
  os << indent << "Connectivity: " << m_Connectivity << std::endl;
  os << indent << "SliceAxis: " << m_SliceAxis << std::endl;
  os << indent << "PeriodicAxes: " << BrickNameOf(m_PeriodicAxes) << std::endl;
  os << indent << "Neighborhood: " << (m_Neighborhood ? m_Neighborhood->ToString() : "(none)") << std::endl;
  os << indent << "Criterion: " << m_Criterion.ToString() << std::endl;
  os << indent
     << "BackgroundValue: " << static_cast<typename NumericTraits<OutputImagePixelType>::PrintType>(m_BackgroundValue)
     << std::endl;
  os << indent << "Order: " << (m_Order == brickccl::LabelOrder::Size ? "Size" : "Raster") << std::endl;
  os << indent << "MinimumObjectSize: " << m_MinimumObjectSize << std::endl;
  os << indent << "MaximumObjectSize: " << m_MaximumObjectSize << std::endl;
  os << indent << "MinimumObjectVolume: " << m_MinimumObjectVolume << std::endl;
  os << indent << "NumberOfLargestObjects: " << m_NumberOfLargestObjects << std::endl;
  os << indent << "Algorithm: " << m_Algorithm << std::endl;
  os << indent << "Device: " << m_Device << std::endl;
  os << indent << "ComputeComponentTable: " << (m_ComputeComponentTable ? "On" : "Off") << std::endl;
  os << indent << "ObjectCount: " << m_ObjectCount << std::endl;
}

} // namespace itk

#endif
