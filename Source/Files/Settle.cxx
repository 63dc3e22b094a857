// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Settle.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/PartialVoxels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

namespace brickccl::files
{

/** Calls `work(begin, end)` for pieces of `count` values. Each piece is large enough to be worth a thread. */
template <typename TWork>
static void
ForPieces(std::int64_t count, const HostContext & context, TWork work)
{
  const Chunks chunks(count, std::int64_t{ 1 } << 18, 256);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) { work(chunks.Begin(chunk), chunks.End(chunk)); });
}

static double
Dot(const double (&a)[MaximumDimension], const double (&b)[MaximumDimension])
{
  return std::inner_product(a, a + MaximumDimension, b, 0.0);
}

double
Millimeters(const std::string & unit)
{
  std::string name;
  for (const char letter : unit)
  {
    if (letter != ' ' && letter != '"' && letter != '\0')
    {
      name += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
    }
  }
  // Also "metre", and plurals.
  name.resize(name.size() - (name.size() > 2 && name.back() == 's' ? 1 : 0));
  if (name.size() >= 5 && name.compare(name.size() - 5, 5, "metre") == 0)
  {
    name.replace(name.size() - 2, 2, "er");
  }
  static const std::map<std::string, double> units = {
    { "km", 1e6 },         { "m", 1000 },        { "meter", 1000 },    { "cm", 10 },           { "centimeter", 10 },
    { "mm", 1 },           { "millimeter", 1 },  { "um", 1e-3 },       { "\xC2\xB5m", 1e-3 },  { "\xCE\xBCm", 1e-3 },
    { "\xB5m", 1e-3 },     { "\\u00b5m", 1e-3 }, { "micron", 1e-3 },   { "micrometer", 1e-3 }, { "nm", 1e-6 },
    { "nanometer", 1e-6 }, { "pm", 1e-9 },       { "angstrom", 1e-7 }, { "\xC3\x85", 1e-7 },   { "\xE2\x84\xAB", 1e-7 },
    { "inch", 25.4 },      { "inche", 25.4 },    { "in", 25.4 }
  };
  const auto found = units.find(name);
  return found == units.end() ? 0 : found->second;
}

void
SettleAxes(const double (&vectors)[MaximumDimension][MaximumDimension],
           const std::string & what,
           const ReadOptions & options,
           LoadedImage &       image)
{
  const int  dimension = image.extent.dimension;
  double     unit[MaximumDimension][MaximumDimension] = {};
  double     cosine = 0;
  int        first = 0;
  int        second = 0;
  const auto set = [&](int axis, const double(&vector)[MaximumDimension], double length) {
    image.geometry.spacing[axis] = length;
    std::transform(vector, vector + MaximumDimension, unit[axis], [&](double each) { return each / length; });
  };
  for (int axis = 0; axis < dimension; ++axis)
  {
    const double length = std::sqrt(Dot(vectors[axis], vectors[axis]));
    ThrowIf(!(length >= MinimumSpacing && length <= MaximumSpacing),
            what + " of axis " + AxisNames[axis] + " has length " + Shortest(length) +
              "; it must be above 0, from 1e-30 to 1e30 mm");
    set(axis, vectors[axis], length);
    for (int other = 0; other < axis; ++other)
    {
      const double product = Dot(unit[axis], unit[other]);
      if (std::fabs(product) > std::fabs(cosine))
      {
        cosine = product;
        first = other;
        second = axis;
      }
    }
  }
  constexpr double rightAngle = 1e-4;
  if (std::fabs(cosine) > rightAngle)
  {
    const std::string angle =
      what + ": the axes " + AxisNames[first] + " and " + AxisNames[second] + " meet at " +
      Shortest(std::round(std::acos(std::min(1.0, std::max(-1.0, cosine))) * 180e4 / std::acos(-1.0)) / 1e4) +
      " degrees instead of 90 (sheared)";
    ThrowIf(!options.acceptSheared,
            angle + "; resample the image, or use the nearest orthogonal geometry with --accept-sheared");
    image.notes.push_back(angle + "; the nearest orthogonal geometry of the same voxel volume is used");
    for (int axis = 0; axis < dimension; ++axis)
    {
      double rest[MaximumDimension] = {};
      std::copy(vectors[axis], vectors[axis] + MaximumDimension, rest);
      for (int other = 0; other < axis; ++other)
      {
        const double product = Dot(rest, unit[other]);
        for (int row = 0; row < dimension; ++row)
        {
          rest[row] -= product * unit[other][row];
        }
      }
      const double length = std::sqrt(Dot(rest, rest));
      ThrowIf(!(length > 1e-6 * image.geometry.spacing[axis]),
              what + " do not span a volume: axis " + AxisNames[axis] + " is in the plane of the others");
      set(axis, rest, length);
    }
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    for (int row = 0; row < dimension; ++row)
    {
      image.geometry.direction[row][axis] = unit[axis][row];
    }
    ThrowIf(!std::isfinite(image.geometry.origin[axis]),
            "its origin along " + std::string(1, AxisNames[axis]) + " is " + Shortest(image.geometry.origin[axis]) +
              "; it must be a number");
  }
}

std::string
NoteOnResolution(double x, double y, const std::string & unit)
{
  return "the spacing is from a resolution of " + Shortest(x) + " x " + Shortest(y) + " pixels per " + unit;
}

std::string
NoteOnNegativeSpacing(const std::string & what)
{
  return what + " is negative; its absolute value is used";
}

std::string
NoteOnFlippedAxes(const std::string & axes)
{
  return "its spacing along " + axes + " is negative: voxels run against the direction of the axis";
}

void
SettleSpacing(LoadedImage & image)
{
  double      vectors[MaximumDimension][MaximumDimension] = {};
  std::string flipped;
  for (int axis = 0; axis < image.extent.dimension; ++axis)
  {
    const double spacing = image.geometry.spacing[axis];
    flipped += spacing < 0 ? (flipped.empty() ? "" : ", ") + std::string(1, AxisNames[axis]) : "";
    ThrowIf(!(std::fabs(spacing) >= MinimumSpacing && std::fabs(spacing) <= MaximumSpacing),
            "its spacing along axis " + std::string(1, AxisNames[axis]) + " is " + Shortest(spacing) +
              "; it must be above 0, from 1e-30 to 1e30 mm");
    for (int row = 0; row < image.extent.dimension; ++row)
    {
      vectors[axis][row] = image.geometry.direction[row][axis] * spacing;
    }
  }
  SettleAxes(vectors, "the direction", {}, image);
  NoteIf(!flipped.empty(), NoteOnFlippedAxes(flipped), image.notes);
}

Extent
SettleExtent(const std::vector<std::int64_t> & sizes)
{
  std::size_t dimension = sizes.size();
  while (dimension > 3 && sizes[dimension - 1] == 1)
  {
    --dimension;
  }
  const std::string text = SizesText(sizes);
  ThrowIf<Unsupported>(dimension < 1 || dimension > static_cast<std::size_t>(MaximumDimension),
                       "it has " + Counted(dimension, "dimension") + (text.empty() ? "" : " (" + text + ")") +
                         "; 1 to " + std::to_string(MaximumDimension) + " are supported");
  double voxels = 1;
  for (const std::int64_t size : sizes)
  {
    ThrowIf(size < 1, "its size is " + text + "; there must be at least one voxel along each axis");
    voxels *= static_cast<double>(size);
  }
  ThrowIf(voxels > 4e18, "its size is " + text + ", too large for any memory: the header is damaged");
  return Extent(static_cast<int>(dimension), sizes.data());
}

ScalarType
IntegerType(std::size_t bytes, bool isSigned)
{
  return bytes == 1 ? (isSigned ? ScalarType::Int8 : ScalarType::UInt8)
       : bytes == 2 ? (isSigned ? ScalarType::Int16 : ScalarType::UInt16)
       : bytes == 4 ? (isSigned ? ScalarType::Int32 : ScalarType::UInt32)
                    : (isSigned ? ScalarType::Int64 : ScalarType::UInt64);
}

std::size_t
VoxelBytes(const Extent & extent, int channels, ScalarType type)
{
  ThrowIf(channels < 1, "it has " + Counted(channels, "channel") + "; there must be at least 1");
  const auto voxels = static_cast<std::uint64_t>(extent.VoxelCount());
  const auto perVoxel = static_cast<std::uint64_t>(channels) * SizeOf(type);
  ThrowIf(voxels > (std::uint64_t{ 1 } << 62) / perVoxel,
          "its size of " + extent.ToString() + " voxels is too large for any memory: the header is damaged");
  return static_cast<std::size_t>(voxels * perVoxel);
}

void
TellHeader(const ReadOptions & options, const LoadedImage & image)
{
  if (options.onHeader)
  {
    // Refuses sizes that are too large for any memory first.
    VoxelBytes(image.extent, image.channels, image.type);
    options.onHeader(image);
  }
}

void
SwapBytes(void * values, std::size_t size, std::size_t count, const HostContext & context)
{
  const auto swap = [&](auto one) {
    using T = decltype(one);
    auto * const bytes = static_cast<unsigned char *>(values);
    ForPieces(static_cast<std::int64_t>(count), context, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        T value;
        std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
        if constexpr (sizeof(T) == 2)
        {
          value = __builtin_bswap16(value);
        }
        else if constexpr (sizeof(T) == 4)
        {
          value = __builtin_bswap32(value);
        }
        else
        {
          value = __builtin_bswap64(value);
        }
        std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
      }
    });
  };
  size == 2 ? swap(std::uint16_t{}) : size == 4 ? swap(std::uint32_t{}) : size == 8 ? swap(std::uint64_t{}) : void();
}

ScalarType
TypeOfScaled(ScalarType stored, double lowest, double highest, const std::vector<Scaling> & scalings)
{
  bool   identity = true;
  bool   whole = stored != ScalarType::Float32 && stored != ScalarType::Float64;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -minimum;
  for (const Scaling & scaling : scalings)
  {
    ThrowIf(!std::isfinite(scaling.slope) || scaling.slope == 0 || !std::isfinite(scaling.intercept),
            "its values are stored with the slope " + Shortest(scaling.slope) + " and the intercept " +
              Shortest(scaling.intercept) + "; they must be numbers, and the slope not 0");
    identity = identity && scaling.IsIdentity();
    whole = whole && scaling.slope == std::floor(scaling.slope) && scaling.intercept == std::floor(scaling.intercept);
    for (const double value : { lowest, highest })
    {
      minimum = std::min(minimum, scaling.slope * value + scaling.intercept);
      maximum = std::max(maximum, scaling.slope * value + scaling.intercept);
    }
  }
  if (identity)
  {
    return stored;
  }
  // Sums of doubles are exact below 2^53.
  if (whole && minimum > -9e15 && maximum < 9e15)
  {
    static constexpr struct
    {
      ScalarType type;
      double     minimum;
      double     maximum;
    } Types[] = { { ScalarType::UInt8, 0, 255 },           { ScalarType::Int8, -128, 127 },
                  { ScalarType::UInt16, 0, 65535 },        { ScalarType::Int16, -32768, 32767 },
                  { ScalarType::UInt32, 0, 4294967295.0 }, { ScalarType::Int32, -2147483648.0, 2147483647.0 } };
    // A signed type stays signed, so that a CT's type does not depend on the sign of its intercept.
    const bool isSigned = stored == ScalarType::Int8 || stored == ScalarType::Int16 || stored == ScalarType::Int32 ||
                          stored == ScalarType::Int64;
    for (const auto & candidate : Types)
    {
      if (minimum >= candidate.minimum && maximum <= candidate.maximum && !(isSigned && candidate.minimum == 0))
      {
        return candidate.type;
      }
    }
    return ScalarType::Int64;
  }
  return stored == ScalarType::Float64 || (SizeOf(stored) > 2 && stored != ScalarType::Float32) ? ScalarType::Float64
                                                                                                : ScalarType::Float32;
}

void
Rescale(const void *        stored,
        ScalarType          storedType,
        const Scaling &     scaling,
        void *              values,
        ScalarType          type,
        std::int64_t        count,
        const HostContext & context)
{
  VisitScalarType(storedType, [&](auto storedTag) {
    using From = typename decltype(storedTag)::Type;
    VisitScalarType(type, [&](auto tag) {
      using To = typename decltype(tag)::Type;
      const auto * const from = static_cast<const unsigned char *>(stored);
      auto * const       to = static_cast<To *>(values);
      ForPieces(count, context, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          From value;
          std::memcpy(&value, from + i * sizeof(From), sizeof(From));
          if constexpr (std::is_floating_point_v<To>)
          {
            to[i] = static_cast<To>(static_cast<double>(value) * scaling.slope + scaling.intercept);
          }
          else
          {
            // These are whole numbers; TypeOfScaled has checked that they fit.
            to[i] = static_cast<To>(static_cast<std::int64_t>(static_cast<double>(value) * scaling.slope) +
                                    static_cast<std::int64_t>(scaling.intercept));
          }
        }
      });
    });
  });
}

void
RescaleImage(const Scaling & scaling, const std::string & what, const HostContext & context, LoadedImage & image)
{
  if (scaling.IsIdentity())
  {
    return;
  }
  const ScalarType type = VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    return TypeOfScaled(image.type,
                        static_cast<double>(std::numeric_limits<T>::lowest()),
                        static_cast<double>(std::numeric_limits<T>::max()),
                        { scaling });
  });
  const auto       note = [&] {
    image.notes.push_back("its values are " + Shortest(scaling.slope) + " times the stored ones" +
                          (scaling.intercept == 0 ? "" : " plus " + Shortest(scaling.intercept)) + " (" + what +
                          "), as " + NameOf(type));
  };
  if (image.inParts)
  {
    auto stored = std::make_shared<LoadedImage>();
    std::swap(stored->voxels, image.voxels);
    std::swap(stored->stream, image.stream);
    stored->type = image.type;
    image.stream = RescaledVoxels(stored, scaling, type, context);
    image.type = type;
    note();
    return;
  }
  VoxelMemory scaled;
  const auto  count = image.extent.VoxelCount() * image.channels;
  Rescale(image.voxels.Data(),
          image.type,
          scaling,
          scaled.Resize(static_cast<std::size_t>(count) * SizeOf(type)),
          type,
          count,
          context);
  note();
  image.voxels = std::move(scaled);
  image.type = type;
}

} // namespace brickccl::files
