#include "BrickCCL/Itk/Picture.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#include "itkIdentityTransform.h"
#include "itkImage.h"
#include "itkLabelOverlayImageFilter.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkRGBPixel.h"
#include "itkResampleImageFilter.h"
#include "itkTileImageFilter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace brickccl
{

namespace
{

using Gray = itk::Image<std::uint8_t, 2>;
using Colour = itk::Image<itk::RGBPixel<std::uint8_t>, 2>;

constexpr double PanelSize = 480;
constexpr double LabelOpacity = 0.6;

/** Colours that are told apart well side by side and on gray; label L gets colour (L - 1) modulo their number. */
constexpr std::uint8_t Palette[][3] = { { 230, 57, 70 },   { 42, 157, 244 },  { 255, 183, 3 },  { 46, 196, 120 },
                                        { 181, 101, 244 }, { 255, 127, 80 },  { 0, 200, 200 },  { 245, 105, 190 },
                                        { 160, 210, 60 },  { 110, 130, 255 }, { 205, 133, 63 }, { 150, 230, 190 },
                                        { 240, 230, 110 }, { 190, 70, 120 },  { 90, 160, 60 },  { 200, 180, 255 } };
constexpr std::size_t  PaletteSize = sizeof(Palette) / sizeof(Palette[0]);

/** A voxel's gray value (the mean of its channels) as a function of its linear index. */
std::function<double(std::int64_t)>
GrayValues(const LoadedImage & image)
{
  return VisitScalarType(image.type, [&](auto tag) -> std::function<double(std::int64_t)> {
    const auto * voxels = reinterpret_cast<const typename decltype(tag)::Type *>(image.voxels.Data());
    const int    channels = image.channels;
    return [voxels, channels](std::int64_t index) {
      double sum = 0;
      for (int c = 0; c < channels; ++c)
      {
        sum += static_cast<double>(voxels[index * channels + c]);
      }
      return sum / channels;
    };
  });
}

std::function<std::uint64_t(std::int64_t)>
LabelValues(const void * labels, LabelType type)
{
  return VisitLabelType(type, [&](auto tag) -> std::function<std::uint64_t(std::int64_t)> {
    const auto * voxels = static_cast<const typename decltype(tag)::Type *>(labels);
    return [voxels](std::int64_t index) { return std::uint64_t{ voxels[index] }; };
  });
}

/** The values that become black and white: percentiles 0.5 and 99.5 of a sample. */
std::pair<double, double>
GrayWindow(const Extent & extent, const std::function<double(std::int64_t)> & gray)
{
  std::vector<double> sample;
  const std::int64_t  step = std::max<std::int64_t>(1, extent.VoxelCount() / 200003);
  for (std::int64_t index = 0; index < extent.VoxelCount(); index += step)
  {
    const double value = gray(index);
    if (std::isfinite(value))
    {
      sample.push_back(value);
    }
  }
  if (sample.empty())
  {
    return { 0, 1 };
  }
  std::sort(sample.begin(), sample.end());
  const double low = sample[sample.size() / 200];
  const double high = sample[sample.size() - 1 - sample.size() / 200];
  return { low, high > low ? high : low + 1 };
}

/** The voxel of the largest component nearest to its centroid; the middle of the volume without components. */
void
FindCentre(const Extent &                                     extent,
           const ComponentTable &                             table,
           const std::function<std::uint64_t(std::int64_t)> & labelAt,
           std::int64_t (&centre)[3])
{
  for (int axis = 0; axis < 3; ++axis)
  {
    centre[axis] = extent.size[axis] / 2;
  }
  ComponentMeasures largest;
  for (const ComponentMeasures & component : table.components)
  {
    if (component.voxelCount > largest.voxelCount)
    {
      largest = component;
    }
  }
  if (largest.voxelCount == 0)
  {
    return;
  }
  double             nearest = std::numeric_limits<double>::infinity();
  const std::int64_t highZ = extent.dimension > 2 ? largest.boxMaximum[2] : 0;
  for (std::int64_t z = largest.boxMinimum[2]; z <= highZ; ++z)
  {
    for (std::int64_t y = largest.boxMinimum[1]; y <= largest.boxMaximum[1]; ++y)
    {
      for (std::int64_t x = largest.boxMinimum[0]; x <= largest.boxMaximum[0]; ++x)
      {
        const std::int64_t at[3] = { x, y, z };
        double             distance = 0;
        for (int axis = 0; axis < extent.dimension; ++axis)
        {
          const double difference =
            table.geometry.spacing[axis] * (static_cast<double>(at[axis]) - largest.centroid[axis]);
          distance += difference * difference;
        }
        if (distance < nearest && labelAt((z * extent.size[1] + y) * extent.size[0] + x) == largest.label)
        {
          nearest = distance;
          std::copy(at, at + 3, centre);
        }
      }
    }
  }
}

/** The slice through `centre` that shows two axes, one pixel per voxel. */
Gray::Pointer
CutSlice(const LoadedImage & image,
         const std::int64_t (&centre)[3],
         int                                               across,
         int                                               down,
         const std::function<std::uint8_t(std::int64_t)> & value)
{
  const Extent &   extent = image.extent;
  auto             slice = Gray::New();
  Gray::RegionType region;
  region.SetSize(0, static_cast<itk::SizeValueType>(extent.size[across]));
  region.SetSize(1, static_cast<itk::SizeValueType>(extent.size[down]));
  slice->SetRegions(region);
  slice->Allocate();
  const double spacing[2] = { image.geometry.spacing[across], image.geometry.spacing[down] };
  slice->SetSpacing(spacing);
  const std::int64_t strides[3] = { 1, extent.size[0], extent.size[0] * extent.size[1] };
  const std::int64_t origin = centre[0] * strides[0] + centre[1] * strides[1] + centre[2] * strides[2];
  for (std::int64_t v = 0; v < extent.size[down]; ++v)
  {
    for (std::int64_t u = 0; u < extent.size[across]; ++u)
    {
      // Slices along z are drawn with the highest z on top.
      const std::int64_t place = down == 2 ? extent.size[2] - 1 - v : v;
      slice->SetPixel({ { u, v } },
                      value(origin + (u - centre[across]) * strides[across] + (place - centre[down]) * strides[down]));
    }
  }
  return slice;
}

/** The slice on a grid of square pixels of the given size. */
template <typename TInterpolator>
Gray::Pointer
Resample(const Gray * slice, double pixelSize)
{
  auto           resample = itk::ResampleImageFilter<Gray, Gray>::New();
  Gray::SizeType size;
  double         origin[2];
  for (unsigned axis = 0; axis < 2; ++axis)
  {
    const double spacing = slice->GetSpacing()[axis];
    const double length = spacing * static_cast<double>(slice->GetLargestPossibleRegion().GetSize(axis));
    size[axis] = static_cast<itk::SizeValueType>(std::max(1.0, std::round(length / pixelSize)));
    origin[axis] = 0.5 * (pixelSize - spacing);
  }
  const double spacing[2] = { pixelSize, pixelSize };
  resample->SetInput(slice);
  resample->SetTransform(itk::IdentityTransform<double, 2>::New());
  resample->SetInterpolator(TInterpolator::New());
  // Pixels in the outer half of the outermost voxels lie past their centres.
  resample->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Gray, double>::New());
  resample->SetSize(size);
  resample->SetOutputOrigin(origin);
  resample->SetOutputSpacing(spacing);
  resample->Update();
  return resample->GetOutput();
}

} // namespace

void
WritePicture(const std::string &    path,
             const LoadedImage &    background,
             const void *           labels,
             LabelType              labelType,
             const ComponentTable & table)
{
  const Extent & extent = background.extent;
  if (extent.dimension < 2 || extent.dimension > 3)
  {
    throw Unsupported("a picture shows images of 2 or 3 dimensions, not " + std::to_string(extent.dimension));
  }
  const auto gray = GrayValues(background);
  const auto label = LabelValues(labels, labelType);
  const auto window = GrayWindow(extent, gray);
  const auto toGray = [&](std::int64_t index) {
    const double scaled = 255 * (gray(index) - window.first) / (window.second - window.first);
    return static_cast<std::uint8_t>(std::isfinite(scaled) ? std::clamp(scaled, 0.0, 255.0) : 0);
  };
  const auto toColourIndex = [&](std::int64_t index) {
    const std::uint64_t value = label(index);
    return static_cast<std::uint8_t>(value == 0 ? 0 : 1 + (value - 1) % PaletteSize);
  };

  std::int64_t centre[3];
  FindCentre(extent, table, label, centre);
  double longest = 0;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    longest = std::max(longest, background.geometry.spacing[axis] * static_cast<double>(extent.size[axis]));
  }
  const bool   flat = extent.dimension == 2 || extent.size[2] == 1;
  const double pixelSize = longest / (flat ? 2 * PanelSize : PanelSize);

  using Tile = itk::TileImageFilter<Colour, Colour>;
  auto                  tile = Tile::New();
  Tile::LayoutArrayType layout;
  layout[0] = flat ? 1 : 3;
  layout[1] = 1;
  tile->SetLayout(layout);
  const int axes[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
  for (unsigned panel = 0; panel < (flat ? 1u : 3u); ++panel)
  {
    const int across = axes[panel][0];
    const int down = axes[panel][1];
    auto      overlay = itk::LabelOverlayImageFilter<Gray, Gray, Colour>::New();
    overlay->ResetColors();
    for (const auto & colour : Palette)
    {
      overlay->AddColor(colour[0], colour[1], colour[2]);
    }
    overlay->SetOpacity(LabelOpacity);
    overlay->SetInput(
      Resample<itk::LinearInterpolateImageFunction<Gray, double>>(CutSlice(background, centre, across, down, toGray),
                                                                  pixelSize));
    overlay->SetLabelImage(Resample<itk::NearestNeighborInterpolateImageFunction<Gray, double>>(
      CutSlice(background, centre, across, down, toColourIndex),
      pixelSize));
    overlay->Update();
    tile->SetInput(panel, overlay->GetOutput());
  }
  try
  {
    tile->Update();
    const Colour * const picture = tile->GetOutput();
    const auto           size = picture->GetLargestPossibleRegion().GetSize();
    ReplaceFile(path, [&](const std::string & temporary) {
      WriteColourPicture(temporary,
                         static_cast<std::int64_t>(size[0]),
                         static_cast<std::int64_t>(size[1]),
                         reinterpret_cast<const unsigned char *>(picture->GetBufferPointer()));
    });
  }
  catch (const itk::ExceptionObject & error)
  {
    throw Error("cannot write '" + path + "': " + error.GetDescription());
  }
}

} // namespace brickccl
