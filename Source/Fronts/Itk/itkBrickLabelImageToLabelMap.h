// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToLabelMap_h
#define itkBrickLabelImageToLabelMap_h

#include "BrickCCL/Measuring/Measuring.h"
#include "itkBrickImageView.h"
#include "itkBrickLabelCounts.h"
#include "itkBrickLabelMap.h"
#include "itkBrickProcess.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace itk
{

/** A label image with any values: all values except the background are labels. */
template <typename TPixel, unsigned int VDimension>
class BrickLabelImage
{
public:
  using GridType = ImageBase<VDimension>;
  using ValuesType = BrickLabelValues<TPixel>;

  /** The view covers the grid's whole region and must outlive this object. */
  BrickLabelImage(ProcessObject *             filter,
                  BrickProgress &             progress,
                  const brickccl::ImageView & view,
                  const GridType *            grid,
                  TPixel                      background)
    : m_Filter(filter)
    , m_Progress(progress)
    , m_View(view)
    , m_Pixels(static_cast<const TPixel *>(view.data))
    , m_Grid(grid)
    , m_Background(background)
    , m_Values(filter, progress, m_Pixels, view.extent.VoxelCount(), background)
  {}

  const ValuesType &
  Values() const
  {
    return m_Values;
  }

  /** The table of the labels; its rows are in the order of Values().Labels(). */
  brickccl::ComponentTable
  Measure(const brickccl::MeasureOptions & options)
  {
    const brickccl::Geometry geometry = MakeBrickGeometry<VDimension>(m_Grid);
    const int                threads = BrickThreadsOf(m_Filter);
    const auto &             labels = m_Values.Labels();
    // The engine's labels are whole numbers above 0.
    if (std::is_integral_v<TPixel> && m_Background == TPixel(0) && (labels.empty() || labels.front() > TPixel(0)))
    {
      return brickccl::MeasureLabelImage(m_View, geometry, options, threads, m_Progress.Hooks());
    }
    if (labels.size() >= std::numeric_limits<std::uint32_t>::max())
    {
      throw brickccl::Unsupported(std::to_string(labels.size()) + " labels are too many for a background other than 0");
    }
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(m_View.extent.VoxelCount()));
    m_Filter->GetMultiThreader()->ParallelizeArray(
      0,
      static_cast<SizeValueType>(m_View.extent.RowCount()),
      [&](SizeValueType row) {
        const std::int64_t length = m_View.extent.RowLength();
        const std::int64_t first = static_cast<std::int64_t>(row) * length;
        ForEachStretchOfRow(first, [&](std::int64_t x, std::int64_t count, TPixel value) {
          std::fill_n(numbers.begin() + first + x, count, static_cast<std::uint32_t>(m_Values.PlaceOf(value) + 1));
        });
      },
      nullptr);
    const brickccl::ImageView view(numbers.data(), m_View.extent);
    return brickccl::MeasureLabelImage(view, geometry, options, threads, m_Progress.Hooks());
  }

  /** Passes the lines of all labels in raster order to a builder. */
  template <typename TBuilder>
  void
  AddLines(TBuilder & builder) const
  {
    const auto region = m_Grid->GetLargestPossibleRegion();
    for (std::int64_t row = 0; row < m_View.extent.RowCount(); ++row)
    {
      if (row % 1024 == 0)
      {
        m_Progress.Update(static_cast<double>(row) / static_cast<double>(m_View.extent.RowCount()));
      }
      const brickccl::RowPosition  position(m_View.extent, row);
      typename TBuilder::IndexType index = region.GetIndex();
      for (unsigned int axis = 1; axis < VDimension; ++axis)
      {
        index[axis] += position.at[axis - 1];
      }
      ForEachStretchOfRow(row * m_View.extent.RowLength(), [&](std::int64_t x, std::int64_t count, TPixel value) {
        index[0] = region.GetIndex(0) + x;
        builder.AddLine(m_Values.PlaceOf(value), index, static_cast<SizeValueType>(count));
      });
    }
  }

private:
  /** Visits the stretches of equal values of a row that are not background. \param first  the row's first pixel */
  template <typename TVisit>
  void
  ForEachStretchOfRow(std::int64_t first, const TVisit & visit) const
  {
    const TPixel * const pixels = m_Pixels + first;
    const std::int64_t   length = m_View.extent.RowLength();
    for (std::int64_t x = 0; x < length;)
    {
      const TPixel       value = pixels[x];
      const std::int64_t next = EndOfBrickStretch(pixels, x, length);
      if (value != m_Background)
      {
        visit(x, next - x, value);
      }
      x = next;
    }
  }

  ProcessObject *             m_Filter;
  BrickProgress &             m_Progress;
  const brickccl::ImageView & m_View;
  const TPixel *              m_Pixels;
  const GridType *            m_Grid;
  TPixel                      m_Background;
  ValuesType                  m_Values;
};

/** Fills a filter's empty label map from a label image. The intensities cover the image's region, for objects with
 * intensity attributes. \throws itk::ExceptionObject, brickccl::Error */
template <typename TInputImage, typename TLabelMap>
void
FillBrickLabelMap(ProcessObject *                            filter,
                  BrickProgress &                            progress,
                  const TInputImage *                        input,
                  TLabelMap *                                map,
                  typename TInputImage::PixelType            background,
                  const BrickAttributeChoice &               choice,
                  const std::optional<brickccl::ImageView> & intensity)
{
  using PixelType = typename TInputImage::PixelType;
  using LabelType = typename TLabelMap::LabelObjectType::LabelType;
  constexpr unsigned int   dimension = TInputImage::ImageDimension;
  brickccl::MeasureOptions options(intensity, choice.Groups(dimension));
  if (intensity)
  {
    options.groups.Add("intensity");
  }
  progress.Stage(0, 0.2);
  const BrickRegionView                 view = MakeBrickRegionView(input, input->GetLargestPossibleRegion());
  BrickLabelImage<PixelType, dimension> image(filter, progress, view.view, input, background);
  const std::vector<PixelType> &        labels = image.Values().Labels();
  for (const PixelType label : labels)
  {
    if (static_cast<PixelType>(static_cast<LabelType>(label)) != label)
    {
      throw brickccl::LabelOverflow("the label " + std::to_string(label) + " does not fit the label map's label type");
    }
  }
  progress.Stage(0.2, 0.6);
  const brickccl::ComponentTable table = image.Measure(options);
  progress.Stage(0.6, 0.9);
  BrickLabelMapBuilder<TLabelMap> builder(input, labels.size());
  image.AddLines(builder);
  builder.Finish(
    map,
    [&labels](std::size_t component) { return static_cast<LabelType>(labels[component]); },
    table,
    intensity,
    choice);
}

} // namespace itk

#endif
