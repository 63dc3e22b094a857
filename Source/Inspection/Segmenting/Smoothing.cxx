// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/Smoothing.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <type_traits>
#include <vector>

namespace brickccl
{

namespace
{

/** ITK's kernels lose accuracy beyond: 1 % at 12 voxels, 2.5 % at 26; from 26.7 on they are NaN. */
constexpr double MaximumDeviationInVoxels = 10;
/** The window of a wider one has more than 21 voxels along an axis. */
constexpr double WidestBilateral = 5;

using Kind = SmoothingMethod::Kind;

/** Copies voxels to reals that hold them. \throws InvalidArgument for values that these do not hold, and unless it is
 *  allowed for infinite ones. */
template <typename TReal, typename T>
void
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

} // namespace

SmoothingMethod
SmoothingMethod::FromText(const std::string & text)
{
  struct Form
  {
    const char * name;
    Kind         kind;
    std::size_t  numbers;
  };
  constexpr Form      forms[] = { { "median", Kind::Median, 1 },
                                  { "gaussian", Kind::Gaussian, 1 },
                                  { "bilateral", Kind::Bilateral, 2 },
                                  { "nlm", Kind::NonLocalMeans, 1 } };
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
    const bool isCount =
      form.kind != Kind::Median || (text.find_first_not_of("0123456789", text.find(':') + 1) == std::string::npos &&
                                    numbers.size() == 1 && numbers[0] <= MaximumRadius);
    if (name == form.name && numbers.size() == form.numbers && areAboveZero && isCount)
    {
      const int radius = form.kind == Kind::Median ? static_cast<int>(numbers[0]) : 1;
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
  double window = 1;
  double sigmas = 1;
  int    axes = 0;
  for (int axis = 0; axis < std::min(extent.dimension, 3); ++axis)
  {
    const bool isUsed = extent.size[axis] > 1;
    axes += isUsed ? 1 : 0;
    window *= isUsed ? 2 * radius + 1 : 1;
    sigmas *= isUsed ? deviation / geometry.spacing[axis] : 1;
  }
  // The middle of a ball of 1.54, of a disk of 1.18 or of a line of 0.67 standard deviations keeps half of its
  // contrast.
  constexpr std::array<double, 4> ofSigmas = { 0, 1.35, 4.36, 15.2 };
  return kind == Kind::Median   ? std::floor(window / 2)
       : kind == Kind::Gaussian ? std::floor(sigmas * ofSigmas[static_cast<std::size_t>(axes)])
                                : 0;
}

ScalarType
SmoothedType(ScalarType type, const SmoothingMethod & method)
{
  if (method.kind != SmoothingMethod::Kind::Gaussian)
  {
    return type;
  }
  return SizeOf(type) <= 2 || type == ScalarType::Float32 ? ScalarType::Float32 : ScalarType::Float64;
}

void
Smooth(const ImageView &       image,
       const Geometry &        geometry,
       const SmoothingMethod & method,
       void *                  smoothed,
       const HostContext &     context)
{
  if (image.channels != 1)
  {
    throw InvalidArgument("an image of " + std::to_string(image.channels) +
                          " channels cannot be smoothed; convert it to gray first");
  }
  const bool   isBilateral = method.kind == Kind::Bilateral;
  const double widest = isBilateral ? WidestBilateral : MaximumDeviationInVoxels;
  for (int axis = 0; axis < std::min(image.extent.dimension, 3) && (isBilateral || method.kind == Kind::Gaussian);
       ++axis)
  {
    if (!(method.deviation <= widest * geometry.spacing[axis]))
    {
      throw InvalidArgument("a " + std::string(isBilateral ? "bilateral filter" : "Gaussian") + " of " +
                            Shortest(method.deviation) + " mm is wider than " + Shortest(widest) + " voxels of " +
                            Shortest(geometry.spacing[axis]) + " mm; use a smaller one");
    }
  }
  const std::int64_t count = image.extent.VoxelCount();
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using TReal = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;
    const T * const voxels = static_cast<const T *>(image.data);
    const auto      run = [&](TReal * reals) {
      CopyToReals(voxels, count, method.kind == Kind::Median, reals);
      method.kind == Kind::Median || method.kind == Kind::Gaussian
             ? SmoothByItk(reals, image.extent, geometry, method, context)
             : SmoothByLikeness(reals, image.extent, geometry, method, context);
    };
    if (method.kind == Kind::Gaussian || std::is_same_v<T, TReal>)
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

} // namespace brickccl
