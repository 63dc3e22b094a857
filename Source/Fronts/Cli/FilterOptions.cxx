// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/FilterOptions.h"

#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace brickccl::cli
{

using Point = std::vector<double>;

/** The continuous index of a physical point, counted from the first voxel of the buffer: the inverse of
 *  Geometry::IndexToPhysical. The axes of images that are read are orthonormal. */
static void
PhysicalToIndex(const Geometry & geometry, int dimension, const double * point, double * index)
{
  for (int axis = 0; axis < dimension; ++axis)
  {
    for (int row = 0; row < dimension; ++row)
    {
      index[axis] += geometry.direction[row][axis] * (point[row] - geometry.origin[row]) / geometry.spacing[axis];
    }
    index[axis] -= static_cast<double>(geometry.startIndex[axis]);
  }
}

static Point
PointOf(std::string text, const std::string & where)
{
  std::replace_if(
    text.begin(),
    text.end(),
    [](char c) { return c == ',' || c == '\t' || c == '\r'; },
    ' ');
  std::istringstream words(text);
  Point              point;
  for (std::string word; words >> word;)
  {
    const Number number = ParseNumber(word, where);
    ThrowIf<InvalidArgument>(!std::isfinite(static_cast<double>(number)),
                             Quoted(word) + " for " + where + " is not finite; a seed is a point");
    point.push_back(static_cast<double>(number));
  }
  return point;
}

/** The points of a file, one a line; lines that begin with # are comments. */
static std::vector<Point>
PointsOfFile(const std::string & path)
{
  std::ifstream file(path);
  ThrowIf<InvalidArgument>(!file, "--seeds: cannot read " + Quoted(path));
  std::vector<Point> points;
  std::string        line;
  for (std::size_t number = 1; std::getline(file, line); ++number)
  {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin != std::string::npos && line[begin] != '#')
    {
      points.push_back(PointOf(line, "--seeds, line " + std::to_string(number) + " of " + Quoted(path) + ","));
    }
  }
  ThrowIf<InvalidArgument>(points.empty(), "--seeds: " + Quoted(path) + " holds no point");
  return points;
}

/** The points of --seeds: of a file with this name, or x,y,z;x,y,z. */
static std::vector<Point>
ParseSeeds(const std::string & text)
{
  std::error_code failure;
  if (std::filesystem::is_regular_file(text, failure))
  {
    return PointsOfFile(text);
  }
  ThrowIf<InvalidArgument>(text.find_first_not_of("0123456789.,;+-eE \t") != std::string::npos,
                           Quoted(text) + " for --seeds is neither a file nor points, as 10,20,30;40,50,60 are");
  std::vector<Point> points;
  for (const std::string & part : SplitAt(';', text))
  {
    points.push_back(PointOf(part, "--seeds"));
    ThrowIf<InvalidArgument>(points.back().empty(),
                             Quoted(text) + " for --seeds has an empty point; write x,y,z;x,y,z");
  }
  ThrowIf<InvalidArgument>(points.empty(),
                           "--seeds is empty; give points, as 10,20,30;40,50,60, or a file with one a line");
  return points;
}

static std::string
Text(const Point & point)
{
  std::ostringstream text;
  text.precision(10);
  for (std::size_t i = 0; i < point.size(); ++i)
  {
    text << (i == 0 ? "" : ",") << point[i];
  }
  return text.str();
}

static std::int64_t
PlaceOf(const Point & seed, bool isPhysical, const LoadedImage & image)
{
  const Extent & extent = image.extent;
  ThrowIf<InvalidArgument>(seed.size() != static_cast<std::size_t>(extent.dimension),
                           "the seed " + Text(seed) + " has " + Counted(seed.size(), "coordinate") +
                             ", but the image has " + Counted(extent.dimension, "dimension"));
  double index[MaximumDimension] = {};
  if (isPhysical)
  {
    PhysicalToIndex(image.geometry, extent.dimension, seed.data(), index);
  }
  else
  {
    std::copy(seed.begin(), seed.end(), index);
  }
  std::int64_t place = 0;
  for (int axis = extent.dimension - 1; axis >= 0; --axis)
  {
    const double voxel = isPhysical ? std::floor(index[axis] + 0.5) : index[axis];
    ThrowIf<InvalidArgument>(voxel != std::floor(voxel),
                             "the seed " + Text(seed) +
                               " is not an index: its numbers must be whole; --physical-seeds takes points in mm");
    ThrowIf<InvalidArgument>(!(voxel >= 0) || voxel >= static_cast<double>(extent.size[axis]),
                             "the seed " + Text(seed) + (isPhysical ? " (in mm)" : " (an index from 0 on)") +
                               " is outside the image of " + extent.ToString() + " voxels");
    place = place * extent.size[axis] + static_cast<std::int64_t>(voxel);
  }
  return place;
}

std::optional<HoleOptions>
HolesOf(const job::Holes & arguments, const Connectivity & connectivity, const Extent & extent)
{
  if (arguments.fillHoles.empty())
  {
    return std::nullopt;
  }
  HoleOptions holes;
  holes.maximumSize = arguments.maximumHoleSize;
  if (!arguments.holesBySlice.empty())
  {
    const int axis = AxisFromName(arguments.holesBySlice);
    ThrowIf<InvalidArgument>(axis < 0 || axis >= extent.dimension || extent.dimension < 2,
                             "--holes-by-slice " + arguments.holesBySlice + " does not fit an image of " +
                               brickccl::Counted(extent.dimension, "dimension"));
    holes.connectivity = DualWithinSlices(connectivity, axis);
  }
  job::Amount volume;
  SetValue(job::AnyVolume, { arguments.fillHoles }, &volume);
  holes.maximumVolume = SizeFor(holes.connectivity.value_or(connectivity), volume, "--fill-holes");
  return holes;
}

void
CheckSeeds(const job::Filter & arguments)
{
  if (!arguments.seeds.empty())
  {
    ParseSeeds(arguments.seeds);
  }
}

LoadedFilter
ReadFilter(const job::Filter &  arguments,
           const Connectivity & connectivity,
           const LoadedImage &  image,
           ImageReader &        reader)
{
  LoadedFilter loaded;
  loaded.filter.holes = HolesOf(arguments, connectivity, image.extent);
  loaded.filter.clearBorder = arguments.clearBorder;
  if (!arguments.seeds.empty())
  {
    loaded.filter.seeds.emplace();
    for (const Point & seed : ParseSeeds(arguments.seeds))
    {
      loaded.filter.seeds->push_back(PlaceOf(seed, arguments.physicalSeeds, image));
    }
  }
  if (!arguments.touching.empty())
  {
    loaded.touching = reader.Read(arguments.touching, true);
    CheckSameGrid(image, *loaded.touching, arguments.touching);
    loaded.filter.touching = loaded.touching->View();
  }
  return loaded;
}

std::vector<LoadedImage>
ReadForSplit(const job::Filter & arguments, const LoadedImage & image, SplitOptions & options, ImageReader & reader)
{
  std::vector<LoadedImage> images;
  const auto               read = [&](const std::string & path, bool areLabels, std::optional<ImageView> & view) {
    if (!path.empty())
    {
      images.push_back(reader.Read(path, areLabels, !areLabels));
      CheckSameGrid(image, images.back(), path);
      view = images.back().View();
    }
  };
  read(arguments.splitBy, false, options.values);
  read(arguments.splitSeeds, true, options.seeds);
  return images;
}

void
AddFilter(job::Findings & findings, const ComponentFilter & filter, const ComponentFilterReport & report, int line)
{
  if (filter.KeepsEverything())
  {
    findings.push_back({ "filter", nullptr });
    return;
  }
  const auto lineIf = [line](bool isAsked) { return isAsked ? line : 0; };
  findings.insert(
    findings.end(),
    { { "filter/filled_holes", report.filledHoles, lineIf(filter.holes.has_value()), "# filled", "hole" },
      { "filter/filled_voxels", report.filledVoxels, lineIf(filter.holes.has_value()), "(#)", "voxel" },
      { "filter/components_before", report.components, line, "# before the filters", "component" },
      { "filter/seeds_in_background",
        report.seedsInBackground,
        lineIf(report.seedsInBackground > 0),
        "# in no component",
        "seed" },
      { "filter/removed_without_seed",
        report.removedWithoutSeed,
        lineIf(filter.seeds.has_value()),
        "# without a seed removed" },
      { "filter/removed_at_border", report.removedAtBorder, lineIf(filter.clearBorder), "# at the border removed" },
      { "filter/removed_not_touching",
        report.removedNotTouching,
        lineIf(filter.touching.has_value()),
        "# not touching the mask removed" } });
}

} // namespace brickccl::cli
