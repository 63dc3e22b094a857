#ifndef itkBrickConnectedComponentImageFilter_hxx
#define itkBrickConnectedComponentImageFilter_hxx

#include "itkBrickConnectedComponentImageFilter.h"

#include <algorithm>

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
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateOutputInformation()
{
  Superclass::GenerateOutputInformation();
  this->GetOutput()->SetMetaDataDictionary(this->GetInput()->GetMetaDataDictionary());
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateInputRequestedRegion()
{
  Superclass::GenerateInputRequestedRegion();
  for (const auto & name : this->GetInputNames())
  {
    if (DataObject * input = this->ProcessObject::GetInput(name))
    {
      input->SetRequestedRegionToLargestPossibleRegion();
    }
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::EnlargeOutputRequestedRegion(
  DataObject * output)
{
  Superclass::EnlargeOutputRequestedRegion(output);
  output->SetRequestedRegionToLargestPossibleRegion();
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
brickccl::LabelOptions
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MakeOptions(
  const brickccl::ProgressHooks & hooks) const
{
  brickccl::LabelOptions options;
  const int              dimension = static_cast<int>(ImageDimension) - (m_SliceAxis >= 0 ? 1 : 0);
  auto                   connectivity = m_Connectivity != 0
                                        ? brickccl::Connectivity::FromNeighbourCount(static_cast<int>(m_Connectivity), dimension)
                                      : m_FullyConnected ? brickccl::Connectivity::Full(dimension)
                                                         : brickccl::Connectivity::Face(dimension);
  options.connectivity = m_SliceAxis >= 0 ? connectivity.WithinSlices(m_SliceAxis) : connectivity;
  options.criterion = m_Criterion;
  if (const MaskImageType * mask = this->GetMaskImage())
  {
    options.mask = MakeBrickImageView(mask);
  }
  options.relabel.order = m_Order;
  options.relabel.minimumSize = m_MinimumObjectSize;
  options.relabel.maximumSize = m_MaximumObjectSize;
  options.relabel.largest = m_NumberOfLargestObjects;
  options.minimumVolume = m_MinimumObjectVolume;
  options.geometry = MakeBrickGeometry<ImageDimension>(this->GetInput());
  options.algorithm = m_Algorithm;
  options.device = brickccl::Device::FromName(m_Device);
  options.threads =
    static_cast<int>(std::min(this->GetNumberOfWorkUnits(), this->GetMultiThreader()->GetMaximumNumberOfThreads()));
  options.progress = hooks;
  return options;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
brickccl::MeasureOptions
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MakeMeasureOptions(
  const brickccl::ColumnGroups & groups) const
{
  brickccl::MeasureOptions options;
  options.groups = groups;
  if (const DataObject * intensity = this->ProcessObject::GetInput("IntensityImage"))
  {
    options.intensity = m_ViewIntensity(intensity);
  }
  return options;
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
template <typename TLabelMap>
typename TLabelMap::Pointer
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::MakeLabelMap() const
{
  static_assert(TLabelMap::ImageDimension == ImageDimension, "the label map has the input's dimension");
  if (m_Labeling.GetExtent().dimension == 0)
  {
    itkExceptionMacro("there are no components to make a label map of; call Update() first");
  }
  brickccl::ColumnGroups groups = BrickGroupsOfAttributes<typename TLabelMap::LabelObjectType>();
  if (groups.Has("shape") && ImageDimension <= 3 && m_ColumnGroups.Has("feret"))
  {
    groups.Add("feret");
  }
  try
  {
    const brickccl::ComponentTable table =
      groups.Has("shape") ? m_Labeling.Measure(MakeMeasureOptions(groups)) : brickccl::ComponentTable();
    return MakeBrickLabelMap<TLabelMap>(m_Labeling, table, this->GetInput());
  }
  catch (const brickccl::Error & error)
  {
    itkExceptionMacro(<< error.what());
  }
}

template <typename TInputImage, typename TOutputImage, typename TMaskImage>
void
BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>::GenerateData()
{
  m_HasComponentTable = false;
  m_ObjectCount = 0;

  // Of the filter's progress, labeling takes 70 per cent, writing 20 and measuring 10.
  double     begin = 0;
  double     share = 0.7;
  const auto hooks = brickccl::ProgressHooks{ [&](double fraction) {
                                               this->UpdateProgress(static_cast<float>(begin + share * fraction));
                                             },
                                              [this] { return this->GetAbortGenerateData(); } };
  try
  {
    brickccl::Label(MakeBrickImageView(this->GetInput()), MakeOptions(hooks), m_Labeling);
    if (!m_Labeling.UsedDevice().remark.empty())
    {
      itkWarningMacro(<< m_Labeling.UsedDevice().remark);
    }

    begin = 0.7;
    share = 0.2;
    this->AllocateOutputs();
    m_Labeling.Write(this->GetOutput()->GetBufferPointer(), m_BackgroundValue, hooks);

    begin = 0.9;
    share = 0.1;
    if (m_ComputeComponentTable)
    {
      brickccl::MeasureOptions measure = MakeMeasureOptions(m_ColumnGroups);
      if (const DataObject * part = this->ProcessObject::GetInput("PartImage"))
      {
        measure.part = m_ViewPart(part);
      }
      m_ComponentTable = m_Labeling.Measure(measure, hooks);
      m_HasComponentTable = true;
    }
    m_ObjectCount = m_Labeling.ComponentCount();
    this->UpdateProgress(1.0f);
  }
  catch (const brickccl::Cancelled &)
  {
    ProcessAborted aborted(__FILE__, __LINE__);
    aborted.SetDescription("labeling was aborted");
    throw aborted;
  }
  catch (const brickccl::Error & error)
  {
    itkExceptionMacro(<< error.what());
  }
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
