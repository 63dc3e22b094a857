// SPDX-License-Identifier: Apache-2.0
#include "Ridges.h"

#include "Patterns.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace brickccl
{

RidgePattern::RidgePattern(int patternLevel, int patternScale)
  : level(patternLevel)
  , scale(patternScale)
{
  if (level < 1 || scale < 0 || level + scale > 28)
  {
    throw InvalidArgument("a ridge pattern of level " + std::to_string(level) + " and scale " + std::to_string(scale) +
                          " is invalid; the level must be at least 1, the scale at least 0 and their sum at most 28");
  }
}

std::int64_t
RidgePattern::PeakCount() const
{
  return level == 1 ? 0 : (std::int64_t{ 1 } << (level - 2)) + 1;
}

std::int64_t
RidgePattern::PeakPlace(std::int64_t peak) const
{
  return (3 * peak) << scale;
}

std::int64_t
RidgePattern::PeakHeight(std::int64_t peak) const
{
  std::int64_t height = 1;
  for (int k = 0; k <= level - 2; ++k)
  {
    height += peak % (std::int64_t{ 1 } << k) == 0 ? 1 : 0;
  }
  return height;
}

std::int64_t
RidgePattern::CrestWidth() const
{
  return level == 1 ? std::int64_t{ 2 } << scale : (3 * (std::int64_t{ 1 } << (level - 2)) + 1) << scale;
}

std::int64_t
RidgePattern::CrestHeight() const
{
  return level == 1 ? 0 : level;
}

std::int64_t
RidgePattern::BaseHeight() const
{
  return CrestWidth() - CrestHeight();
}

std::int64_t
RidgePattern::Width() const
{
  return level == 1 ? CrestWidth() : CrestWidth() + BaseHeight() - 1;
}

std::int64_t
RidgePattern::Height() const
{
  return CrestHeight() + BaseHeight();
}

bool
RidgePattern::Covers(std::int64_t x, std::int64_t y) const
{
  if (x < 0 || y < 0 || y >= Height())
  {
    return false;
  }
  if (y >= CrestHeight())
  {
    const std::int64_t begin = level == 1 ? 0 : y - CrestHeight();
    return x >= begin && x < begin + CrestWidth();
  }
  const std::int64_t column = x >> scale;
  return x < CrestWidth() && column % 3 == 0 && y >= CrestHeight() - PeakHeight(column / 3);
}

RidgeImage::Family
RidgeImage::FamilyFromName(const std::string & name)
{
  static const std::pair<const char *, Family> names[] = { { "leveling", Family::Leveling },
                                                           { "scaling", Family::Scaling },
                                                           { "subdivision", Family::Subdivision },
                                                           { "random-instancing", Family::RandomInstancing },
                                                           { "random-merging", Family::RandomMerging },
                                                           { "spiral", Family::Spiral } };
  std::string                                  valid;
  for (const auto & [known, family] : names)
  {
    if (name == known)
    {
      return family;
    }
    valid += (valid.empty() ? "" : ", ") + std::string(known);
  }
  throw InvalidArgument("family '" + name + "' of ridge patterns is unknown; choose one of " + valid);
}

namespace
{

/** A square image that patterns are painted into. */
class Canvas
{
public:
  explicit Canvas(std::int64_t side)
    : m_Side(side)
    , m_Pixels(static_cast<std::size_t>(side * side), 0)
  {}

  void
  Set(std::int64_t x, std::int64_t y)
  {
    m_Pixels[static_cast<std::size_t>(y * m_Side + x)] = 1;
  }

  /** Paints a pattern with its corner at (x, y), `factor` times as large. */
  void
  Paint(const RidgePattern & pattern, std::int64_t x, std::int64_t y, double factor = 1)
  {
    const auto scaled = [factor](std::int64_t length) {
      return static_cast<std::int64_t>(std::floor(static_cast<double>(length) * factor + 0.5));
    };
    const auto source = [factor](std::int64_t place) {
      return static_cast<std::int64_t>(std::floor((static_cast<double>(place) + 0.5) / factor));
    };
    for (std::int64_t v = 0; v < scaled(pattern.Height()); ++v)
    {
      for (std::int64_t u = 0; u < scaled(pattern.Width()); ++u)
      {
        if (pattern.Covers(source(u), source(v)))
        {
          Set(x + u, y + v);
        }
      }
    }
  }

  std::vector<std::uint8_t>
  Take()
  {
    return std::move(m_Pixels);
  }

private:
  std::int64_t              m_Side;
  std::vector<std::uint8_t> m_Pixels;
};

/** The exponent n of an image of 2^n x 2^n pixels. */
int
ExponentOf(const Extent & extent)
{
  int n = 0;
  while ((std::int64_t{ 1 } << n) < extent.size[0])
  {
    ++n;
  }
  if (extent.dimension != 2 || extent.size[0] != extent.size[1] || (std::int64_t{ 1 } << n) != extent.size[0])
  {
    throw InvalidArgument("ridge patterns are made in squares whose side is a power of two, for example 1024 x 1024, "
                          "not in " +
                          extent.ToString());
  }
  return n;
}

/** Paints the patterns of RandomInstancing and RandomMerging, cell by cell. Others are their simplest cases. */
std::vector<std::uint8_t>
MakeCells(std::int64_t side, const RidgePattern & pattern, const RidgeImage & image)
{
  const std::int64_t cells = std::int64_t{ 1 } << image.subdivisions;
  const std::int64_t cell = side / cells;
  const bool         instances = image.family == RidgeImage::Family::RandomInstancing;
  const bool         merges = image.family == RidgeImage::Family::RandomMerging;
  Canvas             canvas(side);
  const auto         happens = [&](std::int64_t number, std::uint64_t kind) {
    return UniformOf(image.seed, 3 * static_cast<std::uint64_t>(number) + kind) < image.parameter;
  };
  for (std::int64_t number = 0; number < cells * cells; ++number)
  {
    // A margin of one pixel around each pattern leaves two pixels between neighbors.
    const std::int64_t x = number % cells * cell + 1;
    const std::int64_t y = number / cells * cell + 1;
    if (instances && !happens(number, 0))
    {
      continue;
    }
    canvas.Paint(pattern, x, y);
    // Lines go along the first row of the base, and down from the first pixel of its last row.
    if (merges && number % cells + 1 < cells && happens(number, 1))
    {
      for (std::int64_t u = pattern.CrestWidth(); u < cell; ++u)
      {
        canvas.Set(x + u, y + pattern.CrestHeight());
      }
    }
    if (merges && number / cells + 1 < cells && happens(number, 2))
    {
      const std::int64_t column = pattern.Width() - pattern.CrestWidth();
      for (std::int64_t v = pattern.Height(); v < cell + pattern.CrestHeight(); ++v)
      {
        canvas.Set(x + column, y + v);
      }
    }
  }
  return canvas.Take();
}

std::vector<std::uint8_t>
MakeSpiralImage(std::int64_t side, double share)
{
  Canvas     canvas(side);
  const auto length = static_cast<std::int64_t>(std::floor(static_cast<double>(side) * share + 0.5));
  if (length > 0)
  {
    const std::vector<std::uint8_t> spiral = MakeSpiral(Extent{ length, length });
    for (std::int64_t i = 0; i < length * length; ++i)
    {
      if (spiral[static_cast<std::size_t>(i)] != 0)
      {
        canvas.Set(i % length, i / length);
      }
    }
  }
  return canvas.Take();
}

} // namespace

std::vector<std::uint8_t>
MakeRidges(const Extent & extent, const RidgeImage & image)
{
  using Family = RidgeImage::Family;
  const int          n = ExponentOf(extent);
  const std::int64_t side = extent.size[0];
  if (!(image.parameter >= 0 && image.parameter <= 1))
  {
    throw InvalidArgument("the parameter " + std::to_string(image.parameter) +
                          " of a family of ridge patterns is invalid; it must be between 0 and 1");
  }
  if (image.family == Family::Spiral)
  {
    return MakeSpiralImage(side, image.parameter);
  }
  const bool isSingle = image.family == Family::Leveling || image.family == Family::Scaling;
  const int  subdivisions = isSingle ? 0 : image.subdivisions;
  if (image.level < 1 || subdivisions < 0 || image.level + subdivisions > n - 1)
  {
    throw InvalidArgument("ridge patterns of level " + std::to_string(image.level) + " after " +
                          std::to_string(subdivisions) + " subdivisions do not fit an image of " + extent.ToString() +
                          "; the level must be at least 1, and their sum at most " + std::to_string(n - 1));
  }
  const RidgePattern pattern(image.level, n - image.level - 1 - subdivisions);
  if (image.family == Family::Scaling)
  {
    Canvas canvas(side);
    if (image.parameter > 0)
    {
      canvas.Paint(pattern, 1, 1, image.parameter);
    }
    return canvas.Take();
  }
  RidgeImage cells = image;
  cells.subdivisions = subdivisions;
  return MakeCells(side, pattern, cells);
}

} // namespace brickccl
