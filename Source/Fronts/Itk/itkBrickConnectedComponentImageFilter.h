// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickConnectedComponentImageFilter_h
#define itkBrickConnectedComponentImageFilter_h

#include "BrickCCL/Dispatch/Label.h"
#include "itkBrickImageView.h"
#include "itkBrickLabelMap.h"
#include "itkBrickProcess.h"

#include "itkImage.h"
#include "itkImageToImageFilter.h"

#include <cstddef>
#include <functional>
#include <list>
#include <optional>

namespace itk
{

/** \class BrickConnectedComponentImageFilter
 * \brief Labels the connected components of an image and measures them; replaces ConnectedComponentImageFilter.
 *
 * With the defaults, the output equals the output of ConnectedComponentImageFilter, voxel for voxel. Nonzero voxels are
 * foreground. Neighbors share a face (with FullyConnectedOn, at least a corner). Background voxels get BackgroundValue.
 * Components get the consecutive numbers 1, 2, 3 ... in the raster order of their first voxels. (If BackgroundValue is
 * not 0, they get 0, 1, 2 ... except that value, as in ConnectedComponentImageFilter.) The order is part of the
 * contract: it is the same for every algorithm, device and number of threads.
 *
 * This filter does more: 18-connectivity and the other ranks in 2-D to 4-D (SetConnectivity); criteria other than
 * foreground (SetCriterion: a range of values, equal values, a tolerance), also for RGB and vector pixels; separate
 * slices; any other symmetric neighborhood; periodic axes; size filters; order by size; and a table of the measured
 * components.
 *
 * Inputs: the image; optionally a mask (voxels where it is 0 are background); optionally an intensity image for the
 * table. All must have the same geometry, and the other regions must contain the image's region. Pixels may have ITK's
 * integer and floating types (except long double), or be RGB or vectors. An ImageAdaptor is copied first. Images have
 * up to 4 dimensions. NaN is never foreground.
 *
 * If the output pixel type cannot hold the labels, Update throws before anything is written. AbortGenerateDataOn
 * stops the filter with ProcessAborted.
 *
 * Cost: linear. In addition to input and output the filter needs about 1/8 byte per voxel (twice that for equal values
 * and tolerance) and 4 bytes per run of voxels. It keeps this memory for the next Update until ReleaseWorkspace.
 *
 * \sa ConnectedComponentImageFilter, ScalarConnectedComponentImageFilter */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class ITK_TEMPLATE_EXPORT BrickConnectedComponentImageFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickClassMacro(BrickConnectedComponentImageFilter, ImageToImageFilter<TInputImage, TOutputImage>);
  itkNewMacro(Self);

  /** The names of ConnectedComponentImageFilter. */
  using InputImageType = TInputImage;
  using InputImagePointer = typename Superclass::InputImagePointer;
  using InputPixelType = typename TInputImage::PixelType;
  using InputInternalPixelType = typename TInputImage::InternalPixelType;
  using IndexType = typename TInputImage::IndexType;
  using SizeType = typename TInputImage::SizeType;
  using OffsetType = typename TInputImage::OffsetType;
  using OutputImageType = TOutputImage;
  using OutputImagePixelType = typename TOutputImage::PixelType;
  using OutputPixelType = typename TOutputImage::PixelType;
  using OutputInternalPixelType = typename TOutputImage::InternalPixelType;
  using RegionType = typename TOutputImage::RegionType;
  using OutputIndexType = typename TOutputImage::IndexType;
  using OutputSizeType = typename TOutputImage::SizeType;
  using OutputOffsetType = typename TOutputImage::OffsetType;
  using MaskImageType = TMaskImage;
  using MaskImagePointer = typename MaskImageType::Pointer;
  using MaskPixelType = typename TMaskImage::PixelType;
  using ListType = std::list<IndexType>;
  using LabelType = IdentifierType;
  static constexpr unsigned int ImageDimension = TOutputImage::ImageDimension;
  static constexpr unsigned int InputImageDimension = TInputImage::ImageDimension;
  static_assert(IsBrickPlainImage<TOutputImage>, "the output must be an itk::Image, not an adaptor");
  static_assert(TInputImage::ImageDimension == ImageDimension && TMaskImage::ImageDimension == ImageDimension,
                "input, output and mask must have the same dimension");

  /** Whether neighbors may differ in every coordinate. Used unless Connectivity is set. Default: off. */
  itkSetMacro(FullyConnected, bool);
  itkGetConstReferenceMacro(FullyConnected, bool);
  itkBooleanMacro(FullyConnected);

  /** The number of neighbors: 4 or 8 in 2-D; 6, 18 or 26 in 3-D; 8, 32, 64 or 80 in 4-D. If SliceAxis is set, it is the
   * number within a slice. Default: 0, which means FullyConnected decides. */
  itkSetMacro(Connectivity, unsigned int);
  itkGetConstMacro(Connectivity, unsigned int);

  /** Label each slice orthogonal to this axis separately. Labels are unique over the image. Default: -1 (no axis). */
  itkSetMacro(SliceAxis, int);
  itkGetConstMacro(SliceAxis, int);

  /** Any symmetric neighborhood (brickccl::Connectivity::FromOffsets), which replaces Connectivity and SliceAxis.
   * Default: none. */
  void
  SetNeighborhood(const std::optional<brickccl::Connectivity> & neighborhood)
  {
    m_Neighborhood = neighborhood;
    this->Modified();
  }
  itkGetConstReferenceMacro(Neighborhood, std::optional<brickccl::Connectivity>);

  /** The axes along which opposite ends of the image are neighbors (brickccl::PeriodicAxes::FromNames). Default: none.
   */
  itkBrickPeriodicAxesMacro();

  /** Sets which neighboring pixels belong together. Default: all nonzero pixels. For wrapped languages it is a text for
   * brickccl::Criterion::FromText: "foreground within [100, inf]". \throws ExceptionObject for any other text. */
  itkBrickSetMacro(Criterion, brickccl::Criterion);
  void
  SetCriterion(const std::string & text)
  {
    RunBrickWork(this, [&] { this->SetCriterion(brickccl::Criterion::FromText(text)); });
  }
  itkGetConstReferenceMacro(Criterion, brickccl::Criterion);

  /** The output value of the background. Default: 0. */
  itkSetMacro(BackgroundValue, OutputImagePixelType);
  itkGetConstMacro(BackgroundValue, OutputImagePixelType);

  /** The order of the labels: raster (default), or by size with the largest first. */
  itkSetEnumMacro(Order, brickccl::LabelOrder);
  itkGetConstMacro(Order, brickccl::LabelOrder);

  /** Components with fewer pixels become background. Default: 0. */
  itkSetMacro(MinimumObjectSize, SizeValueType);
  itkGetConstMacro(MinimumObjectSize, SizeValueType);

  /** Components with more pixels become background. Default: no limit. */
  itkSetMacro(MaximumObjectSize, SizeValueType);
  itkGetConstMacro(MaximumObjectSize, SizeValueType);

  /** Components with less physical volume (area in 2-D) become background. Default: 0. */
  itkSetMacro(MinimumObjectVolume, double);
  itkGetConstMacro(MinimumObjectVolume, double);

  /** Keep only this many of the largest components. Default: 0, which keeps all. */
  itkSetMacro(NumberOfLargestObjects, SizeValueType);
  itkGetConstMacro(NumberOfLargestObjects, SizeValueType);

  /** "Auto" (default) or the name of an algorithm of brickccl::Algorithms(), optionally with options
   * ("LinkPropagation:gather=64"). The output does not depend on it. */
  itkSetStringMacro(Algorithm);
  itkGetStringMacro(Algorithm);

  /** "auto" (default), "cpu", "cuda" or "cuda:N". The CPU replaces a device that cannot be used, with a warning. */
  itkSetStringMacro(Device);
  itkGetStringMacro(Device);

  /** Whether to measure components as well. Default: on. */
  itkSetMacro(ComputeComponentTable, bool);
  itkGetConstMacro(ComputeComponentTable, bool);
  itkBooleanMacro(ComputeComponentTable);

  /** Groups of columns in addition to the default ones. Default: none. */
  itkBrickSetMacro(ColumnGroups, brickccl::ColumnGroups);
  const brickccl::ColumnGroups &
  GetColumnGroups() const
  {
    return m_ColumnGroups;
  }

  /** Pixels where the mask is 0 become background. NaN is not 0. */
  itkSetInputMacro(MaskImage, MaskImageType);
  itkGetInputMacro(MaskImage, MaskImageType);

  /** The image for the table's intensity columns. It is scalar, of any pixel type; null removes it. */
  template <typename TPointer>
  void
  SetIntensityImage(const TPointer & image)
  {
    this->SetViewedInput("IntensityImage", image, m_ViewIntensity);
  }

  /** The inspected part: a scalar mask that is nonzero inside. The table then has each component's distance to the
   * part's surface, and its volume as a share of the part. Null removes it. */
  template <typename TPointer>
  void
  SetPartImage(const TPointer & image)
  {
    this->SetViewedInput("PartImage", image, m_ViewPart);
  }

  /** The number of components in the output, after the size filters. Valid after Update. */
  itkGetConstReferenceMacro(ObjectCount, LabelType);

  /** The components' measures in the order of their labels. Valid after an Update with ComputeComponentTableOn.
   *  \throws ExceptionObject if no table was computed. */
  const brickccl::ComponentTable &
  GetComponentTable() const
  {
    if (!m_HasComponentTable)
    {
      itkExceptionMacro("there is no component table yet; call ComputeComponentTableOn() and Update() first");
    }
    return m_ComponentTable;
  }

  /** The components as an itk::LabelMap. Its label objects have the attributes of their type. It is made from runs; see
   *  MakeBrickLabelMap. Labels are 1..ObjectCount. Attributes of intensities stay
   * unset; GetComponentTable and ITK's StatisticsLabelMapFilter have them. It belongs to the last Update, whatever
   * inputs were set since. Valid after Update and before ReleaseWorkspace. \throws ExceptionObject for too small a
   * label type. */
  template <typename TLabelMap>
  typename TLabelMap::Pointer
  MakeLabelMap() const
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
      brickccl::MeasureOptions options;
      options.groups = groups;
      const brickccl::ComponentTable table =
        groups.Has("shape") ? m_Labeling.Measure(options) : brickccl::ComponentTable();
      map = MakeBrickLabelMap<TLabelMap>(m_Labeling, table, m_Grid.GetPointer());
    });
    return map;
  }

  /** Releases the memory kept for the next Update. */
  void
  ReleaseWorkspace()
  {
    m_Labeling = brickccl::Labeling();
    m_Grid = nullptr;
  }

protected:
  BrickConnectedComponentImageFilter()
  {
    this->AddOptionalInputName("MaskImage", 1);
    this->AddOptionalInputName("IntensityImage", 2);
    this->AddOptionalInputName("PartImage", 3);
  }

  ~BrickConnectedComponentImageFilter() override = default;

  // The regions of other inputs must contain the image's region; pixels outside it are not read.
  itkBrickWholeImageMacro();
  void
  GenerateData() override
  {
    m_ObjectCount = 0;
    m_Grid = nullptr;
    m_HasComponentTable = false;
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

  void
  VerifyInputInformation() const override
  {
    Superclass::VerifyInputInformation();
    for (const auto & name : this->GetInputNames())
    {
      RequireBrickInputRegion(name, this->ProcessObject::GetInput(name), this->GetInput()->GetLargestPossibleRegion());
    }
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "FullyConnected: " << (m_FullyConnected ? "On" : "Off") << std::endl;
    os << indent << "Connectivity: " << m_Connectivity << std::endl;
    os << indent << "SliceAxis: " << m_SliceAxis << std::endl;
    os << indent << "PeriodicAxes: " << (m_PeriodicAxes.HasAny() ? m_PeriodicAxes.ToString() : "(none)") << std::endl;
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

  /** The criterion in use. A subclass may derive it from other parameters. */
  virtual brickccl::Criterion
  MakeCriterion() const
  {
    return m_Criterion;
  }

  /** The current options of labeling. \throws brickccl::InvalidArgument */
  brickccl::LabelOptions
  MakeOptions(const brickccl::ProgressHooks & hooks) const
  {
    brickccl::LabelOptions options;
    const int              dimension = static_cast<int>(ImageDimension) - (m_SliceAxis >= 0 ? 1 : 0);
    const int              count = static_cast<int>(m_Connectivity);
    const auto             connectivity = count != 0
                                          ? brickccl::Connectivity::FromNeighborCount(count, dimension)
                                          : MakeBrickConnectivity(m_FullyConnected, static_cast<unsigned int>(dimension));
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

private:
  using ViewFunction = std::function<BrickRegionView(const DataObject *, const RegionType &)>;

  /** Sets an input of any pixel type, with a function that knows the type. */
  template <typename TImage>
  void
  SetViewedInput(const char * name, const TImage * image, ViewFunction & view)
  {
    static_assert(TImage::ImageDimension == ImageDimension, "the image must have the input's dimension");
    view = [](const DataObject * data, const RegionType & region) {
      return MakeBrickRegionView(static_cast<const TImage *>(data), region);
    };
    this->ProcessObject::SetInput(name, const_cast<TImage *>(image));
  }
  template <typename TImage>
  void
  SetViewedInput(const char * name, const SmartPointer<TImage> & image, ViewFunction & view)
  {
    this->SetViewedInput(name, static_cast<const TImage *>(image.GetPointer()), view);
  }
  void
  SetViewedInput(const char * name, std::nullptr_t, ViewFunction & view)
  {
    this->SetViewedInput(name, static_cast<const InputImageType *>(nullptr), view);
  }

  /** Views an input of any pixel type in the labeled region. \return nothing if it is not set */
  std::optional<BrickRegionView>
  ViewOtherInput(const char * name, const ViewFunction & view, const RegionType & region) const
  {
    if (const DataObject * const input = this->ProcessObject::GetInput(name))
    {
      return view(input, region);
    }
    return std::nullopt;
  }

  void
  MeasureTable(const RegionType & region, const brickccl::ProgressHooks & hooks)
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

  std::optional<brickccl::Connectivity> m_Neighborhood;
  brickccl::PeriodicAxes                m_PeriodicAxes;

  bool                     m_FullyConnected{ false };
  unsigned int             m_Connectivity{ 0 };
  int                      m_SliceAxis{ -1 };
  brickccl::Criterion      m_Criterion;
  OutputImagePixelType     m_BackgroundValue{};
  brickccl::LabelOrder     m_Order{ brickccl::LabelOrder::Raster };
  SizeValueType            m_MinimumObjectSize{ 0 };
  SizeValueType            m_MaximumObjectSize{ NumericTraits<SizeValueType>::max() };
  double                   m_MinimumObjectVolume{ 0 };
  SizeValueType            m_NumberOfLargestObjects{ 0 };
  std::string              m_Algorithm{ "Auto" };
  std::string              m_Device{ "auto" };
  bool                     m_ComputeComponentTable{ true };
  LabelType                m_ObjectCount{ 0 };
  brickccl::ColumnGroups   m_ColumnGroups;
  bool                     m_HasComponentTable{ false };
  brickccl::ComponentTable m_ComponentTable;
  brickccl::Labeling       m_Labeling;

  /** The region, geometry and metadata of the image of m_Labeling; null if there is none. */
  typename ImageBase<ImageDimension>::Pointer m_Grid;

  ViewFunction m_ViewIntensity;
  ViewFunction m_ViewPart;
};

} // namespace itk

#endif
