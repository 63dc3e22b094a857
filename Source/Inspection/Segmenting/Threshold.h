// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"

#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

struct ThresholdMethod
{
  enum class Kind
  {
    /** A value that the caller gives. */
    Value,
    /** Otsu's threshold, which makes the variance between the two classes greatest. */
    Otsu,
    /** The thresholds between `classes` classes whose variance between each other is greatest, and of these the one
     *  with the number `which`. */
    MultiOtsu,
    /** The least frequent value between the two clearest peaks of the histogram. */
    Valley,
    /** The middle between the two clearest peaks: air and material (ISO-50). */
    Iso50,
    /** Otsu's threshold, with voxels compared with the material around them (CompareLocally). */
    Local
  };

  static constexpr int MaximumClasses = 8;

  Kind   kind = Kind::Otsu;
  Number value = 0;
  int    classes = 2;
  /** The number of the threshold, 1 for the lowest; 0: the highest. */
  int which = 0;
  /** Of Local: the width of the window in mm, and where the threshold is between air (0) and the material (100). */
  double window = 0;
  int    percent = 50;

  /** Reads "otsu", "multi-otsu:N", "multi-otsu:N:K" (the K-th of N - 1 thresholds), "valley", "iso50", "local:MM",
   *  "local:MM:PERCENT" or a number. \throws InvalidArgument, which says what can be given. */
  static ThresholdMethod FromText(const std::string & text);

  /** The text for FromText. */
  std::string ToString() const;
};

/** A threshold that was found: values at or above it are one class, values below it the other. */
struct Threshold
{
  Number          value = 0;
  ThresholdMethod method;
  /** All thresholds of multi-Otsu, lowest first; for the other methods the one. */
  std::vector<Number> all;
  /** For Valley and Iso50 the two peaks, the lower one first; else empty. */
  std::vector<double> peaks;

  /** The padding that was left out, if there was any. */
  std::optional<double> padding;

  bool
  IsLocal() const
  {
    return method.kind == ThresholdMethod::Kind::Local;
  }

  /** Whether doubles do not hold whole numbers of this size. */
  static bool IsBeyondDoubles(const Number & threshold);

  /** The values at or above the threshold, as a criterion; of a local one, of the mask that CompareLocally makes. */
  Criterion AtOrAbove() const;
  Criterion Below() const;
};

/** Finds a threshold, without regard to padding (ValueHistogram::HasPadding). In a stretch of equally good values,
 *  because none or equally few occur there, it is in the middle of the stretch. Whole numbers that doubles cannot
 *  hold are rounded up. \throws InvalidArgument if there are too few different values, or for Valley and Iso50 no two
 *  peaks. */
Threshold FindThreshold(const ValueHistogram & histogram, const ThresholdMethod & method);

/** A method and the threshold that it finds, or why it finds none. */
struct ProposedThreshold
{
  std::string method;
  Threshold   threshold;
  std::string failure;
  double      share = 0;
  /** Whether another number of classes gave the same threshold before. */
  bool isRepeated = false;
};

std::vector<ProposedThreshold> ProposeThresholds(const ValueHistogram & histogram);

/** Compares each voxel with the material around it, for scans that are brighter in some places than in others.
 *
 *  Air are the values below a global threshold, material the others. A voxel's threshold is
 *  air + percent / 100 * (material - air), where `air` is the mean of all air in the histogram, rounded, and `material`
 *  is the mean of the material in a window around the voxel. The window reaches floor(window / (2 * spacing)) voxels to
 *  both sides along each axis and ends at the border of the image. All numbers are whole: values less the least one
 *  where the histogram has a bin for each, else numbers of bins.
 *
 *  \param found  the threshold between air and material in this histogram, with the method
 *  \param mask   set to 1 for values at or above their threshold, else to 0
 *  \throws InvalidArgument for 4 dimensions, a window of 1 or of more than 255 voxels, and whole numbers beyond 2^53;
 *  Canceled. */
void CompareLocally(const ImageView &      image,
                    const Geometry &       geometry,
                    const Threshold &      found,
                    const ValueHistogram & histogram,
                    std::uint8_t *         mask,
                    const HostContext &    context);

} // namespace brickccl
