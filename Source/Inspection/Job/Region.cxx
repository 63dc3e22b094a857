// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/Region.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Job/Value.h"
#include "BrickCCL/Measuring/CountNotANumber.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

namespace brickccl::job
{

namespace
{

constexpr double Infinity = std::numeric_limits<double>::infinity();
/** Of a voxel: how far outside of a shape a center may be by rounding. */
constexpr double Rounding = 1e-6;
constexpr char   AxisLetters[] = "xyz";

std::vector<std::string>
SplitAt(char separator, const std::string & text)
{
  std::vector<std::string> parts(1);
  for (const char character : text)
  {
    character == separator ? parts.emplace_back().push_back(' ') : parts.back().push_back(character);
    parts.back().erase(0, parts.back().find_first_not_of(' '));
  }
  return parts;
}

/** The numbers of a shape, and which of them have a unit. */
struct ShapeNumbers
{
  std::vector<double> values;
  std::vector<bool>   haveUnits;
};

/** \param radius  the place of the number that may be in mm behind voxels */
ShapeNumbers
ReadNumbers(const std::string &              text,
            const std::string &              what,
            const std::vector<std::size_t> & counts,
            std::size_t                      radius,
            const std::string &              right)
{
  ShapeNumbers numbers;
  for (const std::string & part : SplitAt(',', text))
  {
    double     value = 0;
    const Form form{ Kind::Number, -Finite, Finite, "mm" };
    if (SetValue(form, { part }, &value))
    {
      throw InvalidArgument(Quoted(part) + " in " + what + " must be a number of voxels or a length such as 1.5mm");
    }
    numbers.values.push_back(value);
    numbers.haveUnits.push_back(!NumberOf(part));
  }
  const std::size_t count = numbers.values.size();
  if (std::find(counts.begin(), counts.end(), count) == counts.end())
  {
    throw InvalidArgument(what + " has " + Counted(count, "number") + "; write " + right);
  }
  const bool first = numbers.haveUnits[0];
  for (std::size_t i = 0; i < count; ++i)
  {
    if (numbers.haveUnits[i] != first && (i != radius || first))
    {
      throw InvalidArgument(what +
                            " mixes voxels and lengths; write a unit behind each number, as 10mm, or behind none");
    }
  }
  return numbers;
}

/** Sets where a shape begins and ends along an axis. */
void
Bound(RegionShape & shape, std::size_t axis, double low, double high)
{
  if (low > high)
  {
    throw InvalidArgument(shape.what + " ends before it begins: " + Shortest(high) + " is below " + Shortest(low));
  }
  shape.low[axis] = low;
  shape.high[axis] = high;
}

/** Takes the axis that a cylinder begins with. */
std::size_t
TakeAxis(std::string & text, const std::string & what)
{
  const std::size_t axis = std::string(AxisLetters).find(text.substr(0, 1));
  if (text.size() < 2 || axis > 2 || text[1] != ':')
  {
    throw InvalidArgument(what + " must begin with its axis, as z:X,Y,R or z:X,Y,R,Z0,Z1");
  }
  text.erase(0, 2);
  return axis;
}

RegionShape
ShapeOf(const std::string & kind, std::string text)
{
  RegionShape shape;
  shape.what = "the " + kind + " " + Printable(text);
  std::fill(std::begin(shape.low), std::end(shape.low), -Infinity);
  std::fill(std::begin(shape.high), std::end(shape.high), Infinity);
  shape.isExcluded = text.rfind("not:", 0) == 0;
  text.erase(0, shape.isExcluded ? 4 : 0);
  if (kind == "box")
  {
    const ShapeNumbers numbers =
      ReadNumbers(text, shape.what, { 4, 6 }, 6, "X0,Y0,Z0,X1,Y1,Z1 (2-D: X0,Y0,X1,Y1), the first and the last voxel");
    shape.dimension = numbers.values.size() / 2;
    shape.areMillimeters = numbers.haveUnits[0];
    for (std::size_t axis = 0; axis < shape.dimension; ++axis)
    {
      Bound(shape, axis, numbers.values[axis], numbers.values[axis + shape.dimension]);
    }
    return shape;
  }
  const bool        isSphere = kind == "sphere";
  const std::size_t along = isSphere ? 3 : TakeAxis(text, shape.what);
  const std::size_t last = isSphere ? SplitAt(',', text).size() - 1 : 2;
  const auto [values, haveUnits] = isSphere ? ReadNumbers(text, shape.what, { 3, 4 }, last, "X,Y,Z,R (2-D: X,Y,R)")
                                            : ReadNumbers(text, shape.what, { 3, 5 }, last, "z:X,Y,R or z:X,Y,R,Z0,Z1");
  shape.dimension = isSphere ? last : 3;
  shape.areMillimeters = haveUnits[0];
  shape.radius = values[last];
  shape.isRadiusMillimeters = haveUnits[last];
  if (!(shape.radius > 0))
  {
    throw InvalidArgument("the radius of " + shape.what + " must be above 0");
  }
  for (std::size_t axis = 0, taken = 0; axis < shape.dimension; ++axis)
  {
    shape.isRound[axis] = axis != along;
    shape.center[axis] = axis != along ? values[taken++] : 0;
  }
  if (values.size() == 5)
  {
    Bound(shape, along, values[3], values[4]);
  }
  return shape;
}

std::vector<RegionShape>
ListOfShapes(const std::string & kind, const std::string & texts)
{
  std::vector<RegionShape> list;
  for (const std::string & text : SplitAt(';', texts))
  {
    list.push_back(ShapeOf(kind, text));
  }
  return list;
}

/** \throws InvalidArgument for a shape that does not fit to an image's dimensions and voxels. */
void
CheckFit(const RegionShape & shape, const LoadedImage & image)
{
  if (static_cast<int>(shape.dimension) != image.extent.dimension)
  {
    throw InvalidArgument(shape.what + " has " + std::to_string(shape.dimension) + " dimensions, but the image has " +
                          std::to_string(image.extent.dimension));
  }
  if ((shape.areMillimeters || shape.isRadiusMillimeters) && image.spacingSource == "none")
  {
    throw InvalidArgument(shape.what + " is in mm, but the image has no voxel size; set it with --spacing (in a recipe "
                                       "with input.spacing_mm)");
  }
  double round = 0;
  for (std::size_t axis = 0; axis < shape.dimension && !shape.areMillimeters; ++axis)
  {
    const double spacing = image.geometry.spacing[axis];
    const double last = static_cast<double>(image.extent.size[axis] - 1);
    for (const double end : { shape.low[axis], shape.high[axis] })
    {
      if (std::isfinite(end) && (end < 0 || end > last || end != std::floor(end)))
      {
        throw InvalidArgument(shape.what + " reaches " + Shortest(end) + " along " + AxisLetters[axis] +
                              ", but the voxels there are 0 to " + Shortest(last));
      }
    }
    if (shape.isRound[axis] && !shape.isRadiusMillimeters && round != 0 && std::abs(spacing / round - 1) > 1e-4)
    {
      throw InvalidArgument("the radius of " + shape.what + " is in voxels, which measure " + Shortest(round) +
                            " and " + Shortest(spacing) + " mm; write it in mm");
    }
    round = shape.isRound[axis] ? spacing : round;
  }
}

/** Places a shape on the grid of an image. */
void
FitTo(const LoadedImage & image, RegionShape & shape)
{
  CheckFit(shape, image);
  const Geometry & geometry = image.geometry;
  const double     smallest = *std::min_element(geometry.spacing, geometry.spacing + shape.dimension);
  for (std::size_t i = 0; i < shape.dimension; ++i)
  {
    for (std::size_t axis = 0; axis < shape.dimension && shape.areMillimeters; ++axis)
    {
      shape.map[i][axis] = geometry.direction[i][axis] * geometry.spacing[axis];
      shape.map[i][3] = geometry.origin[i];
    }
    shape.scale[i] = shape.isRadiusMillimeters && !shape.areMillimeters ? geometry.spacing[i] : 1;
    shape.low[i] -= Rounding * (shape.areMillimeters ? smallest : 1);
    shape.high[i] += Rounding * (shape.areMillimeters ? smallest : 1);
  }
  shape.radius += Rounding * (shape.isRadiusMillimeters ? smallest : 1);
}

} // namespace

std::pair<std::int64_t, std::int64_t>
RegionShape::SpanOf(const RowPosition & row, std::int64_t length) const
{
  const auto y = static_cast<double>(row.at[0]);
  const auto z = static_cast<double>(row.at[1]);
  double     first = 0;
  auto       last = static_cast<double>(length - 1);
  const auto clip = [&](double one, double other) {
    first = std::max(first, std::min(one, other));
    last = std::min(last, std::max(one, other));
  };
  // a x^2 + 2 b x + c <= 0 in a ball or cylinder.
  double a = 0;
  double b = 0;
  double c = -radius * radius;
  for (std::size_t i = 0; i < 3; ++i)
  {
    const double step = map[i][0];
    const double start = map[i][1] * y + map[i][2] * z + map[i][3];
    if (isRound[i])
    {
      const double distance = scale[i] * (start - center[i]);
      a += scale[i] * step * scale[i] * step;
      b += scale[i] * step * distance;
      c += distance * distance;
    }
    else if (step != 0)
    {
      clip((low[i] - start) / step, (high[i] - start) / step);
    }
    else if (start < low[i] || start > high[i])
    {
      return { 0, 0 };
    }
  }
  const double root = a > 0 ? std::sqrt(b * b - a * c) : 0;
  if (std::isnan(root) || (a == 0 && c > 0))
  {
    return { 0, 0 };
  }
  if (a > 0)
  {
    clip((-b - root) / a, (-b + root) / a);
  }
  const auto begin = static_cast<std::int64_t>(std::ceil(std::min(first, static_cast<double>(length))));
  return { begin, std::max(begin, static_cast<std::int64_t>(std::floor(std::max(last, -1.0))) + 1) };
}

namespace
{

/** \throws InvalidArgument if no voxel of an image is in a shape. */
void
CheckIsInside(const RegionShape & shape, const Extent & extent)
{
  RowPosition position(extent, 0);
  for (std::int64_t row = 0; row < extent.RowCount(); ++row, position.Advance(extent))
  {
    if (const auto [first, last] = shape.SpanOf(position, extent.size[0]); first < last)
    {
      return;
    }
  }
  throw InvalidArgument("no voxel of the image has its center in " + shape.what);
}

} // namespace

RegionShapes::RegionShapes(const Region & region, const LoadedImage & image)
  : m_Extent(image.extent)
{
  const auto add = [&](const char * kind, const std::string & texts) {
    for (RegionShape & shape : texts.empty() ? std::vector<RegionShape>() : ListOfShapes(kind, texts))
    {
      FitTo(image, shape);
      m_Shapes.push_back(shape);
      CheckIsInside(shape, m_Extent);
    }
  };
  add("box", region.box);
  add("cylinder", region.cylinder);
  add("sphere", region.sphere);
}

void
RegionShapes::WriteRows(std::int64_t begin, std::int64_t end, std::uint8_t * voxels) const
{
  const std::int64_t length = m_Extent.size[0];
  const bool         isWithin =
    std::any_of(m_Shapes.begin(), m_Shapes.end(), [](const RegionShape & shape) { return !shape.isExcluded; });
  std::fill(voxels, voxels + (end - begin) * length, isWithin ? std::uint8_t{ 0 } : std::uint8_t{ 1 });
  for (const bool isExcluded : { false, true })
  {
    for (const RegionShape & shape : m_Shapes)
    {
      RowPosition position(m_Extent, begin);
      for (std::int64_t row = begin; row < end && shape.isExcluded == isExcluded; ++row, position.Advance(m_Extent))
      {
        const auto [first, last] = shape.SpanOf(position, length);
        std::uint8_t * const own = voxels + (row - begin) * length;
        std::fill(own + first, own + last, isExcluded ? std::uint8_t{ 0 } : std::uint8_t{ 1 });
      }
    }
  }
}

std::string
CheckShapes(const char * kind, const std::string & text)
{
  ListOfShapes(kind, text);
  return {};
}

std::optional<LoadedImage>
MaskOf(const Region & region, const LoadedImage & image, std::optional<LoadedImage> mask, const HostContext & context)
{
  const RegionShapes shapes(region, image);
  if (shapes.AreAll())
  {
    return mask;
  }
  if (mask && mask->channels != 1)
  {
    throw InvalidArgument("the mask has " + std::to_string(mask->channels) + " channels; it must have 1");
  }
  LoadedImage result;
  result.extent = image.extent;
  result.geometry = image.geometry;
  result.spacingSource = image.spacingSource;
  auto * const       bytes = reinterpret_cast<std::uint8_t *>(result.voxels.Resize(result.ByteCount()));
  const std::int64_t length = image.extent.RowLength();
  const Chunks       rows(image.extent.RowCount(), 1, 256);
  std::atomic<bool>  isEmpty{ true };
  ParallelFor(rows.count, context, [&](std::int64_t chunk) {
    std::uint8_t * const begin = bytes + rows.Begin(chunk) * length;
    std::uint8_t * const end = bytes + rows.End(chunk) * length;
    shapes.WriteRows(rows.Begin(chunk), rows.End(chunk), begin);
    VisitScalarType(mask ? mask->type : ScalarType::UInt8, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      const T * const other = mask ? static_cast<const T *>(mask->View().data) + (begin - bytes) : nullptr;
      for (std::int64_t i = 0; other != nullptr && i < end - begin; ++i)
      {
        begin[i] = begin[i] != 0 && IsInPart(other[i]) ? 1 : 0;
      }
    });
    isEmpty = isEmpty && std::find(begin, end, std::uint8_t{ 1 }) == end;
  });
  if (isEmpty)
  {
    throw InvalidArgument("no voxel is in the region");
  }
  return result;
}

std::optional<std::uint64_t>
CountIn(const std::optional<LoadedImage> & image, int threads, const std::optional<LoadedImage> & mask)
{
  LabelOptions options;
  options.mask = mask ? std::optional(mask->View()) : std::nullopt;
  options.threads = threads;
  return image ? std::optional(Label(image->View(), options).ForegroundVoxelCount()) : std::nullopt;
}

void
SetOutsideToZero(LoadedImage & image, const LoadedImage & mask, const HostContext & context)
{
  const std::size_t size = SizeOf(image.type) * static_cast<std::size_t>(image.channels);
  VoxelMemory       source;
  std::swap(source, image.voxels);
  std::byte * const voxels = image.voxels.Resize(image.ByteCount());
  const Chunks      chunks(image.extent.VoxelCount(), 1 << 16, 256);
  VisitScalarType(mask.type, [&](auto tag) {
    const auto * const inside = static_cast<const typename decltype(tag)::Type *>(mask.View().data);
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
      {
        const std::size_t place = static_cast<std::size_t>(i) * size;
        IsInPart(inside[i]) ? std::memcpy(voxels + place, source.Data() + place, size)
                            : std::memset(voxels + place, 0, size);
      }
    });
  });
}

} // namespace brickccl::job
