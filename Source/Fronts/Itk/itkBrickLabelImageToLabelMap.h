// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToLabelMap_h
#define itkBrickLabelImageToLabelMap_h

#include "BrickCCL/Measuring/Measuring.h"
#include "itkBrickImageView.h"
#include "itkBrickLabelMap.h"
#include "itkBrickProcess.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace itk
{

/** Calls `visit(begin, end, value)` for each stretch of equal pixels among [first, last) that are not background. */
template <typename T, typename TVisit>
void
ForEachBrickStretch(const T * pixels, std::int64_t first, std::int64_t last, T background, const TVisit & visit)
{
  for (std::int64_t begin = first; begin < last;)
  {
    const T      value = pixels[begin];
    std::int64_t end = begin + 1;
    while (end < last && pixels[end] == value)
    {
      ++end;
    }
    if (value != background)
    {
      visit(begin, end, value);
    }
    begin = end;
  }
}

/** Numbers the values of an image from 1 on, ascending; the background gets 0.
 *  \return the values. \throws brickccl::InvalidArgument for NaN; Unsupported for too many. */
template <typename T>
std::vector<T>
NumberBrickLabels(const T * pixels, T background, std::vector<std::uint32_t> & numbers)
{
  const auto                 count = static_cast<std::int64_t>(numbers.size());
  std::map<T, std::uint32_t> numberOf;
  ForEachBrickStretch(pixels, 0, count, background, [&](std::int64_t, std::int64_t, T value) {
    if (IsBrickNan(value))
    {
      throw brickccl::InvalidArgument("the label image contains NaN, which is not a label");
    }
    numberOf.emplace(value, 0);
  });
  brickccl::ThrowIf<brickccl::Unsupported>(numberOf.size() >= std::numeric_limits<std::uint32_t>::max(),
                                           std::to_string(numberOf.size()) +
                                             " labels are too many for a background other than 0");
  std::vector<T> values;
  for (auto & [value, number] : numberOf)
  {
    values.push_back(value);
    number = static_cast<std::uint32_t>(values.size());
  }
  ForEachBrickStretch(pixels, 0, count, background, [&](std::int64_t begin, std::int64_t end, T value) {
    std::fill(numbers.begin() + begin, numbers.begin() + end, numberOf.at(value));
  });
  return values;
}

/** Finds the row of a label in a table. */
class BrickRowOfLabel
{
public:
  BrickRowOfLabel(const brickccl::ComponentRows & rows, std::int64_t voxels)
  {
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
      m_Labels.push_back(rows.Label(row));
    }
    // Where labels are not far apart, a list of all is faster than a search.
    if (!m_Labels.empty() && m_Labels.back() <= 65536 + static_cast<std::uint64_t>(voxels) / 4)
    {
      m_Rows.resize(static_cast<std::size_t>(m_Labels.back()) + 1);
      for (std::size_t row = 0; row < m_Labels.size(); ++row)
      {
        m_Rows[static_cast<std::size_t>(m_Labels[row])] = row;
      }
    }
  }

  std::size_t
  operator()(std::uint64_t label) const
  {
    return m_Rows.empty()
           ? static_cast<std::size_t>(std::lower_bound(m_Labels.begin(), m_Labels.end(), label) - m_Labels.begin())
           : m_Rows[static_cast<std::size_t>(label)];
  }

private:
  std::vector<std::uint64_t> m_Labels;
  std::vector<std::size_t>   m_Rows;
};

/** Fills a filter's empty label map from an image of whole numbers from 0 on, where 0 is the background; `labelOf`
 *  gives the map's label of a number. \throws itk::ExceptionObject, brickccl::Error */
template <typename TPixel, typename TLabelMap, typename TLabelOf>
void
FillBrickLabelMap(ProcessObject *                              filter,
                  BrickProgress &                              progress,
                  const brickccl::ImageView &                  view,
                  const TPixel *                               pixels,
                  const ImageBase<TLabelMap::ImageDimension> * grid,
                  TLabelMap *                                  map,
                  const TLabelOf &                             labelOf,
                  const BrickAttributeChoice &                 choice)
{
  constexpr unsigned int   dimension = TLabelMap::ImageDimension;
  brickccl::MeasureOptions options({}, choice.Groups(dimension));
  progress.Stage(0.1, 0.6);
  const brickccl::ComponentTable  table = brickccl::MeasureLabelImage(view,
                                                                     MakeBrickGeometry<dimension>(grid),
                                                                     options,
                                                                     BrickThreadsOf(filter),
                                                                     progress.Hooks());
  const brickccl::ComponentRows & rows = table.components;
  const BrickRowOfLabel           rowOf(rows, view.extent.VoxelCount());
  progress.Stage(0.6, 0.9);
  BrickLabelMapBuilder<TLabelMap> builder(grid, rows.size());
  const auto                      start = grid->GetLargestPossibleRegion().GetIndex();
  for (std::int64_t row = 0; row < view.extent.RowCount(); ++row)
  {
    if (row % 1024 == 0)
    {
      progress.Update(static_cast<double>(row) / static_cast<double>(view.extent.RowCount()));
    }
    const brickccl::RowPosition position(view.extent, row);
    auto                        index = start;
    for (unsigned int axis = 1; axis < dimension; ++axis)
    {
      index[axis] += position.at[axis - 1];
    }
    const std::int64_t first = row * view.extent.RowLength();
    const std::int64_t last = first + view.extent.RowLength();
    ForEachBrickStretch(pixels, first, last, TPixel(0), [&](std::int64_t begin, std::int64_t end, TPixel label) {
      index[0] = start[0] + begin - first;
      builder.AddLine(rowOf(static_cast<std::uint64_t>(label)), index, static_cast<SizeValueType>(end - begin));
    });
  }
  builder.Finish(
    map,
    [&](std::size_t component) { return labelOf(rows.Label(component)); },
    table,
    choice);
}

/** Fills a filter's empty label map from a label image. \throws itk::ExceptionObject, brickccl::Error */
template <typename TInputImage, typename TLabelMap>
void
FillBrickLabelMap(ProcessObject *                 filter,
                  BrickProgress &                 progress,
                  const TInputImage *             input,
                  TLabelMap *                     map,
                  typename TInputImage::PixelType background,
                  const BrickAttributeChoice &    choice)
{
  using PixelType = typename TInputImage::PixelType;
  using LabelType = typename TLabelMap::LabelObjectType::LabelType;
  progress.Stage(0, 0.1);
  const BrickRegionView view = MakeBrickRegionView(input, input->GetLargestPossibleRegion());
  const auto * const    pixels = static_cast<const PixelType *>(view.view.data);
  const std::int64_t    count = view.view.extent.VoxelCount();
  const auto            labelOf = [](PixelType label) {
    if (static_cast<PixelType>(static_cast<LabelType>(label)) != label)
    {
      throw brickccl::LabelOverflow("the label " + std::to_string(label) + " does not fit the label map's label type");
    }
    return static_cast<LabelType>(label);
  };
  const bool isUsual = std::is_integral_v<PixelType> && background == PixelType(0) &&
                       std::none_of(pixels, pixels + count, [](PixelType label) { return label < PixelType(0); });
  if (isUsual)
  {
    const auto labelOfNumber = [&](std::uint64_t label) { return labelOf(static_cast<PixelType>(label)); };
    FillBrickLabelMap(filter, progress, view.view, pixels, input, map, labelOfNumber, choice);
    return;
  }
  std::vector<std::uint32_t>   numbers(static_cast<std::size_t>(count));
  const std::vector<PixelType> values = NumberBrickLabels(pixels, background, numbers);
  const brickccl::ImageView    numbered(numbers.data(), view.view.extent);
  const auto                   labelOfNumber = [&](std::uint64_t number) {
    return labelOf(values[static_cast<std::size_t>(number - 1)]);
  };
  FillBrickLabelMap(filter, progress, numbered, numbers.data(), input, map, labelOfNumber, choice);
}

} // namespace itk

#endif
