// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/Region.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Job/Value.h"
#include "BrickCCL/Measuring/CountNotANumber.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>

namespace brickccl::job
{

/** A center may be outside of a shape by this share of a voxel, because of rounding. */
constexpr double Rounding = 1e-6;
constexpr char   AxisLetters[] = "xyz";

static void
RefuseIf(bool isWrong, const std::string & text)
{
  ThrowIf<InvalidArgument>(isWrong, text);
}

static std::vector<std::string>
PartsOf(const std::string & text, char separator)
{
  return Mapped(SplitAt(separator, text + separator), [](const auto & part) { return files::Trimmed(part); });
}

/** The numbers of a shape, and whether each has a unit. \param right  what there must be */
static std::vector<std::pair<double, bool>>
ReadNumbers(const std::string &           text,
            const std::string &           what,
            const std::set<std::size_t> & counts,
            const char *                  right)
{
  std::vector<std::pair<double, bool>> numbers;
  for (const std::string & part : PartsOf(text, ','))
  {
    double value = 0;
    RefuseIf(static_cast<bool>(SetValue({ Kind::Number, -Finite, Finite, "mm" }, { part }, &value)),
             Quoted(part) + " in " + what + " must be a number of voxels or a length such as 1.5mm");
    numbers.emplace_back(value, !NumberOf(part));
  }
  RefuseIf(counts.count(numbers.size()) == 0, what + " has " + Counted(numbers.size(), "number") + "; write " + right);
  return numbers;
}

static RegionShape
ShapeOf(const std::string & kind, std::string text)
{
  RegionShape shape;
  shape.what = "the " + kind + " " + Printable(text);
  shape.isExcluded = text.rfind("not:", 0) == 0;
  text.erase(0, shape.isExcluded ? 4 : 0);
  const bool        isBox = kind == "box";
  const bool        isSphere = kind == "sphere";
  const std::size_t along = isBox || isSphere ? 3 : std::string(AxisLetters).find(text.substr(0, 1));
  RefuseIf(!isBox && !isSphere && (text.size() < 2 || along > 2 || text[1] != ':'),
           shape.what + " must begin with its axis, as z:X,Y,R or z:X,Y,R,Z0,Z1");
  const auto        numbers = isBox    ? ReadNumbers(text, shape.what, { 4, 6 }, "X0,Y0,Z0,X1,Y1,Z1 (2-D: X0,Y0,X1,Y1)")
                            : isSphere ? ReadNumbers(text, shape.what, { 3, 4 }, "X,Y,Z,R (2-D: X,Y,R)")
                                       : ReadNumbers(text.substr(2), shape.what, { 3, 5 }, "z:X,Y,R or z:X,Y,R,Z0,Z1");
  const std::size_t count = numbers.size();
  const std::size_t radius = isBox ? count : isSphere ? count - 1 : 2;
  shape.dimension = isBox ? count / 2 : isSphere ? count - 1 : 3;
  shape.areMillimeters = numbers[0].second;
  for (std::size_t i = 0; i < count; ++i)
  {
    RefuseIf(numbers[i].second != shape.areMillimeters && (i != radius || shape.areMillimeters),
             shape.what + " mixes voxels and lengths; write a unit behind each number, as 10mm, or behind none");
  }
  for (std::size_t axis = 0, taken = 0; axis < shape.dimension; ++axis)
  {
    shape.isRound[axis] = !isBox && axis != along;
    shape.center[axis] = shape.isRound[axis] ? numbers[taken++].first : 0;
    const bool isBounded = isBox || (axis == along && count == 5);
    shape.low[axis] = isBounded ? numbers[isBox ? axis : 3].first : -Unlimited;
    shape.high[axis] = isBounded ? numbers[isBox ? axis + shape.dimension : 4].first : Unlimited;
    RefuseIf(shape.low[axis] > shape.high[axis],
             shape.what + " ends before it begins: " + Shortest(shape.high[axis]) + " is below " +
               Shortest(shape.low[axis]));
  }
  shape.radius = isBox ? 0 : numbers[radius].first;
  shape.isRadiusMillimeters = !isBox && numbers[radius].second;
  RefuseIf(!isBox && !(shape.radius > 0), "the radius of " + shape.what + " must be above 0");
  return shape;
}

/** \throws InvalidArgument for a shape that does not fit to an image's dimensions and voxels. */
static void
CheckFit(const RegionShape & shape, const LoadedImage & image)
{
  RefuseIf(static_cast<int>(shape.dimension) != image.extent.dimension,
           shape.what + " has " + std::to_string(shape.dimension) + " dimensions, but the image has " +
             std::to_string(image.extent.dimension));
  RefuseIf((shape.areMillimeters || shape.isRadiusMillimeters) && image.spacingSource == "none",
           shape.what + " is in mm, but the image has no voxel size; set it with --spacing (in a recipe "
                        "with input.spacing_mm)");
  double round = 0;
  for (std::size_t axis = 0; axis < shape.dimension && !shape.areMillimeters; ++axis)
  {
    const double spacing = image.geometry.spacing[axis];
    const double last = static_cast<double>(image.extent.size[axis] - 1);
    for (const double end : { shape.low[axis], shape.high[axis] })
    {
      RefuseIf(std::isfinite(end) && (end < 0 || end > last || end != std::floor(end)),
               shape.what + " reaches " + Shortest(end) + " along " + AxisLetters[axis] +
                 ", but the voxels there are 0 to " + Shortest(last));
    }
    RefuseIf(shape.isRound[axis] && !shape.isRadiusMillimeters && round != 0 && std::abs(spacing / round - 1) > 1e-4,
             "the radius of " + shape.what + " is in voxels, which measure " + Shortest(round) + " and " +
               Shortest(spacing) + " mm; write it in mm");
    round = shape.isRound[axis] ? spacing : round;
  }
}

static void
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

RegionShapes::RegionShapes(const Region & region, const LoadedImage & image)
  : m_Extent(image.extent)
{
  const auto add = [&](const char * kind, const std::string & texts) {
    for (const std::string & text : texts.empty() ? std::vector<std::string>() : PartsOf(texts, ';'))
    {
      m_Shapes.push_back(ShapeOf(kind, text));
      FitTo(image, m_Shapes.back());
      RowPosition  position(m_Extent, 0);
      std::int64_t row = 0;
      for (auto span = m_Shapes.back().SpanOf(position, m_Extent.size[0]); span.first == span.second; ++row)
      {
        RefuseIf(row == m_Extent.RowCount(), "no voxel of the image has its center in " + m_Shapes.back().what);
        span = m_Shapes.back().SpanOf(position, m_Extent.size[0]);
        position.Advance(m_Extent);
      }
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
  for (const std::string & one : PartsOf(text, ';'))
  {
    ShapeOf(kind, one);
  }
  return {};
}

std::optional<std::uint64_t>
CountIn(const std::optional<LoadedImage> & image, int threads, const std::optional<LoadedImage> & mask)
{
  LabelOptions options;
  options.mask = mask ? std::optional(mask->View()) : std::nullopt;
  options.threads = threads;
  return image ? std::optional(Label(image->View(), options).ForegroundVoxelCount()) : std::nullopt;
}

namespace
{

void
ClearOutside(std::byte * voxels, std::size_t size, const ImageView & mask, const HostContext & context)
{
  RefuseIf(mask.channels != 1, "the mask has " + std::to_string(mask.channels) + " channels; it must have 1");
  const Chunks chunks(mask.extent.VoxelCount(), 1 << 16, 256);
  VisitScalarType(mask.type, [&](auto tag) {
    const auto * const inside = static_cast<const typename decltype(tag)::Type *>(mask.data);
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
      {
        std::memset(voxels + static_cast<std::size_t>(i) * size, 0, IsInPart(inside[i]) ? 0 : size);
      }
    });
  });
}

/** The mask of a region, made when it is read. */
class RegionVoxels
{
public:
  RegionVoxels(RegionShapes shapes, const Extent & extent, std::optional<LoadedImage> mask, int threads)
    : m_Shapes(std::move(shapes))
    , m_Extent(extent)
    , m_Mask(std::move(mask))
    , m_Threads(threads)
  {}

  void
  Read(std::uint64_t begin, std::byte * output, std::size_t size)
  {
    const auto   first = static_cast<std::int64_t>(begin) / m_Extent.RowLength();
    const Chunks rows(static_cast<std::int64_t>(size) / m_Extent.RowLength(), 1, 256);
    ParallelFor(rows.count, { m_Threads }, [&](std::int64_t chunk) {
      auto * const voxels = reinterpret_cast<std::uint8_t *>(output) + rows.Begin(chunk) * m_Extent.RowLength();
      m_Shapes.WriteRows(first + rows.Begin(chunk), first + rows.End(chunk), voxels);
    });
    if (m_Mask)
    {
      const std::size_t bytes = SizeOf(m_Mask->type) * static_cast<std::size_t>(m_Mask->channels);
      const std::byte * mask = m_Mask->voxels.Data() + begin * bytes;
      if (m_Mask->stream)
      {
        m_Room.Resize(size * bytes);
        m_Mask->stream->Read(begin * bytes, m_Room.Data(), size * bytes);
        mask = m_Room.Data();
      }
      ClearOutside(output,
                   1,
                   { mask, m_Mask->type, { static_cast<std::int64_t>(size) }, m_Mask->channels },
                   { m_Threads });
    }
  }

  std::uint64_t
  BytesAtLeast() const
  {
    return m_Mask && m_Mask->stream ? m_Mask->stream->BytesAtLeast() / SizeOf(m_Mask->type)
                                    : static_cast<std::uint64_t>(m_Extent.RowLength());
  }

private:
  RegionShapes               m_Shapes;
  Extent                     m_Extent;
  std::optional<LoadedImage> m_Mask;
  int                        m_Threads;
  Buffer<std::byte>          m_Room;
};

} // namespace

std::optional<LoadedImage>
MaskOf(const Region & region, const LoadedImage & image, std::optional<LoadedImage> mask, int threads)
{
  RegionShapes shapes(region, image);
  if (shapes.AreAll())
  {
    return mask;
  }
  std::optional<LoadedImage> result(std::in_place);
  result->extent = image.extent;
  result->geometry = image.geometry;
  result->spacingSource = image.spacingSource;
  result->slicesAtOnce = mask ? mask->slicesAtOnce : 1;
  result->chunkBytes = mask ? mask->chunkBytes : 0;
  result->inParts = image.inParts;
  result->files = mask ? mask->files : std::vector<std::string>();
  const auto voxels = std::make_shared<RegionVoxels>(std::move(shapes), image.extent, std::move(mask), threads);
  const auto read = [voxels](std::uint64_t begin, std::byte * to, std::size_t size) { voxels->Read(begin, to, size); };
  result->stream = std::make_shared<VoxelStream>(voxels->BytesAtLeast(), read);
  if (!image.inParts)
  {
    result->stream->Read(0, result->voxels.Resize(result->ByteCount()), result->ByteCount());
    result->stream.reset();
    RefuseIf(CountIn(result, threads) == std::uint64_t{ 0 }, "no voxel is in the region");
  }
  return result;
}

void
SetOutsideToZero(LoadedImage & image, const ImageView & mask, int threads)
{
  VoxelMemory source;
  std::swap(source, image.voxels);
  std::byte * const voxels = image.voxels.Resize(image.ByteCount());
  std::memcpy(voxels, source.Data(), image.ByteCount());
  ClearOutside(voxels, SizeOf(image.type) * static_cast<std::size_t>(image.channels), mask, { threads });
}

std::string
CheckZones(const ImageParts & zones, const std::string & name, int threads)
{
  try
  {
    constexpr std::size_t   most = 65535;
    std::uint64_t           withoutNumber = 0;
    std::set<std::uint64_t> numbers;
    LooksOfImage            looks;
    zones([&](const ImageView & part, const auto &) {
      withoutNumber += CountNotANumber(part, { threads });
      if (withoutNumber == 0)
      {
        for (const ComponentMeasures & zone : MeasureLabelImage(part, {}, {}, threads).components)
        {
          numbers.insert(zone.label);
        }
        looks.Add(part, 0, part.extent);
        ThrowIf<InvalidArgument>(numbers.size() > most,
                                 "it has " + std::to_string(numbers.size()) + " values; up to 65535 are supported");
      }
    });
    ThrowIf<InvalidArgument>(withoutNumber > 0,
                             Counted(withoutNumber, "voxel") + (withoutNumber == 1 ? " is" : " are") +
                               " NaN; write 0 there");
    ThrowIf<InvalidArgument>(numbers.empty(), "every voxel is 0");
    return looks.AreGrayValues() ? name + " looks like a grayscale scan: every value counts as a zone" : "";
  }
  catch (const InvalidArgument & fault)
  {
    throw InvalidArgument(name + " is not a label map of zones: " + fault.what());
  }
}

} // namespace brickccl::job
