#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace brickccl
{

namespace
{

/** Random numbers in a fixed sequence. They serve the few numbers that describe a phantom's parts. */
class Sequence
{
public:
  explicit Sequence(std::uint64_t seed)
    : m_Seed(seed)
  {}
  double
  Between(double low, double high)
  {
    return low + (high - low) * UniformOf(m_Seed, m_Place++);
  }

private:
  std::uint64_t m_Seed;
  std::uint64_t m_Place = 0;
};

struct Direction
{
  double x;
  double y;
};

/** A random direction in the plane. No trigonometric functions are used, since they differ from library to library. */
Direction
RandomDirection(Sequence & random)
{
  for (;;)
  {
    const double x = random.Between(-1, 1);
    const double y = random.Between(-1, 1);
    const double square = x * x + y * y;
    if (square > 0.01 && square <= 1)
    {
      const double length = std::sqrt(square);
      return { x / length, y / length };
    }
  }
}

/** Nearly Gaussian noise of mean 0 and deviation 1, from four uniform numbers. */
double
NoiseOf(std::uint64_t seed, std::uint64_t voxel)
{
  double sum = -2;
  for (std::uint64_t i = 0; i < 4; ++i)
  {
    sum += UniformOf(seed, 4 * voxel + i);
  }
  return sum * 1.7320508075688772;
}

/** Rounds to steps of 4 HU, which keeps files small. A scanner's noise would allow that without loss. */
std::int16_t
Quantize(double value)
{
  return static_cast<std::int16_t>(4 * static_cast<int>(std::floor(value / 4 + 0.5)));
}

void
CheckExtent(const Extent & extent, const char * what)
{
  if (extent.dimension < 2 || extent.dimension > 3 || extent.size[0] < 8 || extent.size[1] < 8)
  {
    throw InvalidArgument(std::string(what) + " needs 2 or 3 dimensions and at least 8 voxels along x and y, not " +
                          extent.ToString());
  }
}

struct Knot
{
  Direction direction;
  double    height;
  double    rise;
  double    opening;
  double    length;
};

struct Crack
{
  Direction direction;
  double    begin;
  double    end;
  double    halfWidth;
  double    low;
  double    high;
};

double
Square(double value)
{
  return value * value;
}

/** A triangle wave between 0 and 1 of period 1. */
double
Triangle(double phase)
{
  const double fraction = phase - std::floor(phase);
  return fraction < 0.5 ? 2 * fraction : 2 - 2 * fraction;
}

} // namespace

Scan
MakeLog(const Extent & extent, std::uint64_t seed)
{
  CheckExtent(extent, "a log");
  Sequence     random(seed);
  const double radius = 0.46 * static_cast<double>(std::min(extent.size[0], extent.size[1]));
  const auto   length = static_cast<double>(extent.size[2]);
  const double centreX = 0.5 * static_cast<double>(extent.size[0] - 1);
  const double centreY = 0.5 * static_cast<double>(extent.size[1] - 1);
  const double pithX = centreX + radius * random.Between(-0.12, 0.12);
  const double pithY = centreY + radius * random.Between(-0.12, 0.12);
  const double leanX = radius * random.Between(-0.1, 0.1) / length;
  const double leanY = radius * random.Between(-0.1, 0.1) / length;
  const double ringWidth = radius / random.Between(11, 16);

  std::vector<Knot> knots;
  const double      whorlDistance = std::max(12.0, 0.8 * radius);
  for (double whorl = random.Between(0.2, 0.6) * whorlDistance; whorl < length; whorl += whorlDistance)
  {
    const int branches = 3 + static_cast<int>(random.Between(0, 3));
    for (int branch = 0; branch < branches; ++branch)
    {
      Knot knot;
      knot.direction = RandomDirection(random);
      knot.height = whorl + random.Between(-2, 2);
      knot.rise = random.Between(0.05, 0.35);
      knot.opening = random.Between(0.06, 0.12);
      knot.length = radius * random.Between(0.45, 0.95);
      knots.push_back(knot);
    }
  }
  std::vector<Crack> cracks;
  const int          crackCount = 6 + static_cast<int>(random.Between(0, 5));
  for (int i = 0; i < crackCount; ++i)
  {
    Crack crack;
    crack.direction = RandomDirection(random);
    crack.begin = radius * random.Between(0.08, 0.4);
    crack.end = crack.begin + radius * random.Between(0.15, 0.4);
    crack.halfWidth = std::max(0.6, radius * random.Between(0.01, 0.025));
    crack.low = length * random.Between(-0.1, 0.8);
    crack.high = crack.low + length * random.Between(0.1, 0.35);
    cracks.push_back(crack);
  }

  Scan scan;
  scan.image.resize(static_cast<std::size_t>(extent.VoxelCount()));
  scan.truth.assign(scan.image.size(), 0);
  std::size_t index = 0;
  for (std::int64_t z = 0; z < extent.size[2]; ++z)
  {
    for (std::int64_t y = 0; y < extent.size[1]; ++y)
    {
      for (std::int64_t x = 0; x < extent.size[0]; ++x, ++index)
      {
        const auto   height = static_cast<double>(z);
        const double fromCentre =
          std::sqrt(Square(static_cast<double>(x) - centreX) + Square(static_cast<double>(y) - centreY));
        const double dx = static_cast<double>(x) - pithX - leanX * (height - length / 2);
        const double dy = static_cast<double>(y) - pithY - leanY * (height - length / 2);
        const double fromPith = std::sqrt(dx * dx + dy * dy);
        double       value = -1000;
        if (fromCentre < radius)
        {
          value = fromCentre > 0.95 * radius ? -650 : -550 + 180 * Square(Triangle(fromPith / ringWidth));
          for (const Knot & knot : knots)
          {
            const double along = dx * knot.direction.x + dy * knot.direction.y;
            const double across = dx * knot.direction.y - dy * knot.direction.x;
            const double above = height - knot.height - knot.rise * along;
            if (along > 0 && along < knot.length && fromCentre < 0.95 * radius &&
                across * across + above * above < Square(1 + knot.opening * along))
            {
              value = 120;
              scan.truth[index] = static_cast<std::uint8_t>(Defect::Knot);
            }
          }
          for (const Crack & crack : cracks)
          {
            const double along = dx * crack.direction.x + dy * crack.direction.y;
            const double across = dx * crack.direction.y - dy * crack.direction.x;
            if (along > crack.begin && along < crack.end && height >= crack.low && height <= crack.high &&
                std::fabs(across) < crack.halfWidth && fromCentre < 0.93 * radius)
            {
              value = -950;
              scan.truth[index] = static_cast<std::uint8_t>(Defect::Crack);
            }
          }
        }
        scan.image[index] = Quantize(value + 22 * NoiseOf(seed + 1, index));
      }
    }
  }
  return scan;
}

Scan
MakeCasting(const Extent & extent, std::uint64_t seed)
{
  CheckExtent(extent, "a casting");
  Sequence     random(seed);
  const double radius = 0.45 * static_cast<double>(std::min(extent.size[0], extent.size[1]));
  const auto   length = static_cast<double>(extent.size[2]);
  const double centreX = 0.5 * static_cast<double>(extent.size[0] - 1);
  const double centreY = 0.5 * static_cast<double>(extent.size[1] - 1);
  // A skin of metal, at least a voxel thick, keeps every pore from the air outside.
  const double poreLimit = std::max(0.0, std::min(0.95 * radius, radius - 1));

  Scan scan;
  scan.image.resize(static_cast<std::size_t>(extent.VoxelCount()));
  scan.truth.assign(scan.image.size(), 0);
  const auto paintPore = [&](double px, double py, double pz, double poreRadius) {
    const auto low = [poreRadius](double centre) {
      return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(centre - poreRadius)));
    };
    const auto high = [poreRadius](double centre, std::int64_t size) {
      return std::min(size - 1, static_cast<std::int64_t>(std::ceil(centre + poreRadius)));
    };
    for (std::int64_t z = low(pz); z <= high(pz, extent.size[2]); ++z)
    {
      for (std::int64_t y = low(py); y <= high(py, extent.size[1]); ++y)
      {
        for (std::int64_t x = low(px); x <= high(px, extent.size[0]); ++x)
        {
          const auto dx = static_cast<double>(x);
          const auto dy = static_cast<double>(y);
          if (Square(dx - px) + Square(dy - py) + Square(static_cast<double>(z) - pz) <= Square(poreRadius) &&
              Square(dx - centreX) + Square(dy - centreY) < Square(poreLimit))
          {
            scan.truth[static_cast<std::size_t>((z * extent.size[1] + y) * extent.size[0] + x)] =
              static_cast<std::uint8_t>(Defect::Pore);
          }
        }
      }
    }
  };

  const int gasPores = 20 + static_cast<int>(static_cast<double>(extent.VoxelCount()) / 40000);
  for (int i = 0; i < gasPores; ++i)
  {
    const Direction direction = RandomDirection(random);
    const double    distance = 0.9 * radius * std::sqrt(random.Between(0, 1));
    const double    size = 0.8 + radius * 0.05 * Square(random.Between(0, 1));
    paintPore(centreX + distance * direction.x, centreY + distance * direction.y, random.Between(0, length), size);
  }
  const int shrinkagePores = 2 + static_cast<int>(random.Between(0, 3));
  for (int i = 0; i < shrinkagePores; ++i)
  {
    double px = centreX + 0.4 * radius * random.Between(-1, 1);
    double py = centreY + 0.4 * radius * random.Between(-1, 1);
    double pz = length * random.Between(0.2, 0.8);
    for (int step = 0; step < 60; ++step)
    {
      const double size = std::max(1.0, 0.03 * radius * random.Between(0.5, 1.5));
      paintPore(px, py, pz, size);
      px += size * random.Between(-1.4, 1.4);
      py += size * random.Between(-1.4, 1.4);
      pz += size * random.Between(-1.4, 1.4);
    }
  }

  std::size_t index = 0;
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    const double dy = static_cast<double>(row % extent.size[1]) - centreY;
    for (std::int64_t x = 0; x < extent.RowLength(); ++x, ++index)
    {
      const double dx = static_cast<double>(x) - centreX;
      const bool   metal = dx * dx + dy * dy < radius * radius && scan.truth[index] == 0;
      // Beam hardening makes the inside of the metal look a little less dense.
      const double value = metal ? 1900 + 150 * (dx * dx + dy * dy) / (radius * radius) : -1000;
      scan.image[index] = Quantize(value + 40 * NoiseOf(seed + 1, index));
    }
  }
  return scan;
}

} // namespace brickccl
