// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/SmoothImage.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/WideInteger.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <type_traits>
#include <vector>

namespace brickccl
{

/** ITK's kernels lose accuracy beyond: 1 % at 12 voxels, 2.5 % at 26; from 26.7 on they are NaN. */
constexpr double MaximumDeviationInVoxels = 10;
/** The window of a wider one has more than 21 voxels along an axis. */
constexpr double WidestBilateral = 5;

using SmoothingKind = SmoothingMethod::Kind;

/** Copies voxels to reals. \throws InvalidArgument for values that these lose, and for infinite ones unless allowed. */
template <typename TReal, typename T>
static void
CopyToReals(const T * voxels, std::int64_t count, bool areInfiniteAllowed, TReal * reals)
{
  for (std::int64_t i = 0; i < count; ++i)
  {
    reals[i] = static_cast<TReal>(voxels[i]);
    if (std::isnan(reals[i]) || (std::isinf(reals[i]) && !areInfiniteAllowed))
    {
      throw InvalidArgument(std::string("an image with ") + (std::isnan(reals[i]) ? "NaN" : "infinite") +
                            " values cannot be smoothed" + (std::isnan(reals[i]) ? "" : ", except by a median"));
    }
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    {
      constexpr T limit = T(1) << 53;
      if (voxels[i] > limit || (std::is_signed_v<T> && voxels[i] < T(0) - limit))
      {
        throw InvalidArgument("an image with values beyond 2^53 cannot be smoothed");
      }
    }
  }
}

template <typename T>
using SumOf =
  std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, Int128, std::int64_t>, double>;

template <typename T>
static T
MeanOf(SumOf<T> sum, std::int64_t count)
{
  if constexpr (std::is_integral_v<T>)
  {
    const SumOf<T> twice = 2 * sum + count;
    return static_cast<T>(twice / (2 * count) - (twice % (2 * count) < 0 ? 1 : 0));
  }
  else
  {
    return static_cast<T>(sum / static_cast<double>(count));
  }
}

SmoothingMethod
SmoothingMethod::FromText(const std::string & text)
{
  struct Form
  {
    const char *  name;
    SmoothingKind kind;
    std::size_t   numbers;
  };
  constexpr Form      forms[] = { { "median", SmoothingKind::Median, 1 },
                                  { "gaussian", SmoothingKind::Gaussian, 1 },
                                  { "bilateral", SmoothingKind::Bilateral, 2 },
                                  { "nlm", SmoothingKind::NonLocalMeans, 1 } };
  std::istringstream  words(text + ':');
  std::string         name;
  std::vector<double> numbers;
  std::getline(words, name, ':');
  for (std::string word; std::getline(words, word, ':');)
  {
    const auto number = Number::FromText(word);
    const bool isPlain = word.find_first_not_of("+.0123456789eE-") == std::string::npos && !IsLostNumber(word);
    numbers.push_back(number && isPlain ? number->Nearest() : 0);
  }
  const bool areAboveZero =
    std::all_of(numbers.begin(), numbers.end(), [](double number) { return number > 0 && std::isfinite(number); });
  for (const Form & form : forms)
  {
    if (name == form.name && numbers.size() == form.numbers && areAboveZero &&
        (form.kind != SmoothingKind::Median || (numbers[0] <= MaximumRadius && numbers[0] == std::floor(numbers[0]))))
    {
      const int radius = form.kind == SmoothingKind::Median ? static_cast<int>(numbers[0]) : 1;
      return { form.kind, radius, numbers.front(), numbers.back() };
    }
  }
  throw InvalidArgument("unknown filter " + Quoted(text) + "; use median:R, R from 1 to " +
                        std::to_string(MaximumRadius) +
                        " voxels, gaussian:MM, a standard deviation above 0, for example gaussian:0.5, "
                        "bilateral:MM:RANGE, RANGE in gray values, or nlm:NOISE, the standard deviation of the noise" +
                        HintOnLostNumber(text.substr(std::min(text.size(), text.find(':') + 1))));
}

double
SmoothingMethod::RemovedVoxels(const Extent & extent, const Geometry & geometry) const
{
  const bool isMedian = kind == SmoothingKind::Median;
  double     voxels = 1;
  int        axes = 0;
  for (int axis = 0; axis < std::min(extent.dimension, 3); ++axis)
  {
    const bool isUsed = extent.size[axis] > 1;
    axes += isUsed ? 1 : 0;
    voxels *= !isUsed ? 1 : isMedian ? 2 * radius + 1 : deviation / geometry.spacing[axis];
  }
  // The middle of a ball of 1.54, a disk of 1.18 or a line of 0.67 standard deviations keeps half of its contrast.
  const double ofGaussian = kind != SmoothingKind::Gaussian ? 0 : axes == 3 ? 15.2 : axes == 2 ? 4.36 : 1.35;
  return std::floor(voxels * (isMedian ? 0.5 : ofGaussian));
}

ScalarType
SmoothedType(ScalarType type, const SmoothingMethod & method)
{
  return method.kind != SmoothingMethod::Kind::Gaussian   ? type
       : SizeOf(type) <= 2 || type == ScalarType::Float32 ? ScalarType::Float32
                                                          : ScalarType::Float64;
}

void
Smooth(const ImageView &       image,
       const Geometry &        geometry,
       const SmoothingMethod & method,
       void *                  smoothed,
       const HostContext &     context)
{
  ThrowIf<InvalidArgument>(image.channels != 1,
                           "an image of " + std::to_string(image.channels) +
                             " channels cannot be smoothed; convert it to gray first");
  const bool   isBilateral = method.kind == SmoothingKind::Bilateral;
  const double widest = isBilateral ? WidestBilateral : MaximumDeviationInVoxels;
  for (int axis = 0;
       axis < std::min(image.extent.dimension, 3) && (isBilateral || method.kind == SmoothingKind::Gaussian);
       ++axis)
  {
    ThrowIf<InvalidArgument>(!(method.deviation <= widest * geometry.spacing[axis]),
                             "a " + std::string(isBilateral ? "bilateral filter" : "Gaussian") + " of " +
                               Shortest(method.deviation) + " mm is wider than " + Shortest(widest) + " voxels of " +
                               Shortest(geometry.spacing[axis]) + " mm; use a smaller one");
  }
  const std::int64_t count = image.extent.VoxelCount();
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using TReal = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;
    const T * const voxels = static_cast<const T *>(image.data);
    const auto      run = [&](TReal * reals) {
      CopyToReals(voxels, count, method.kind == SmoothingKind::Median, reals);
      method.kind == SmoothingKind::Median || method.kind == SmoothingKind::Gaussian
             ? SmoothByItk(reals, image.extent, geometry, method, context)
             : SmoothByLikeness(reals, image.extent, geometry, method, context);
    };
    if (method.kind == SmoothingKind::Gaussian || std::is_same_v<T, TReal>)
    {
      run(static_cast<TReal *>(smoothed));
      return;
    }
    UninitializedVector<TReal> reals(static_cast<std::size_t>(count));
    run(reals.data());
    std::transform(reals.begin(), reals.end(), static_cast<T *>(smoothed), [](TReal value) {
      return static_cast<T>(std::round(value));
    });
  });
}

void
Downsample(LoadedImage & image, int most, const HostContext & context)
{
  ThrowIf<InvalidArgument>(image.channels != 1 || !image.segmentation.segments.empty(),
                           "--downsample averages gray values, and this is a color image or a label map with segments");
  const Extent fine = image.extent;
  std::int64_t step[MaximumDimension] = { 1, 1, 1, 1 };
  for (int axis = 0; axis < 3; ++axis)
  {
    double * const spacing = image.geometry.spacing;
    step[axis] = std::min<std::int64_t>(most, fine.size[axis]);
    for (int row = 0; row < MaximumDimension; ++row)
    {
      image.geometry.origin[row] +=
        image.geometry.direction[row][axis] * spacing[axis] * static_cast<double>(step[axis] - 1) / 2;
    }
    spacing[axis] *= static_cast<double>(step[axis]);
    image.extent.size[axis] = (fine.size[axis] + step[axis] - 1) / step[axis];
  }
  const Extent & coarse = image.extent;
  const auto     countOf = [&](int axis, std::int64_t box) {
    return std::min(step[axis], fine.size[axis] - box * step[axis]);
  };
  VoxelMemory source;
  std::swap(source, image.voxels);
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T * const voxels = reinterpret_cast<const T *>(source.Data());
    T * const       means = reinterpret_cast<T *>(image.voxels.Resize(image.ByteCount()));
    ParallelFor(coarse.RowCount(), context, [&](std::int64_t row) {
      const RowPosition position(coarse, row);
      const auto [y, z, t] = position.at;
      const std::int64_t    down = countOf(1, y);
      const std::int64_t    rows = down * countOf(2, z);
      std::vector<SumOf<T>> sums(static_cast<std::size_t>(coarse.RowLength()));
      for (std::int64_t i = 0; i < rows; ++i)
      {
        const std::int64_t slice = t * fine.size[2] + z * step[2] + i / down;
        const T *          value = voxels + (slice * fine.size[1] + y * step[1] + i % down) * fine.RowLength();
        for (std::int64_t x = 0; x < fine.RowLength(); ++x)
        {
          sums[static_cast<std::size_t>(x / step[0])] += value[x];
        }
      }
      for (std::int64_t x = 0; x < coarse.RowLength(); ++x)
      {
        means[row * coarse.RowLength() + x] = MeanOf<T>(sums[static_cast<std::size_t>(x)], countOf(0, x) * rows);
      }
    });
  });
  image.notes.push_back("each voxel is the mean of " + std::to_string(most) + " voxels along each axis; the file has " +
                        fine.ToString());
}

} // namespace brickccl
