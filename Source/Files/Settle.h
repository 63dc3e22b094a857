// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Core/TextLists.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Sets an image's spacing and direction from `vectors[axis][row]` (mm, LPS), from a voxel to the next along each axis.
 *  The origin stays. Axes at right angles, within 1e-4, become spacing and direction. Other axes are refused, unless
 *  `options.acceptSheared`: then x stays, y loses its part along x, and z its part along x and y, which keeps the plane
 *  of x and y and the volume of a voxel and is noted. \param what  names the vectors in errors: "space directions".
 *  \throws Error for vectors that are 0, not finite, parallel or, unless accepted, sheared. */
void SettleAxes(const double (&vectors)[MaximumDimension][MaximumDimension],
                const std::string & what,
                const ReadOptions & options,
                LoadedImage &       image);

/** Limits of spacings in mm. Powers of numbers outside exceed doubles, and no image has such spacings. */
inline constexpr double MinimumSpacing = 1e-30;
inline constexpr double MaximumSpacing = 1e30;

/** The note on a spacing from a resolution, which may belong to a screen or printer. */
std::string NoteOnResolution(double x, double y, const std::string & unit);

/** The note on a negative spacing, for which the positive one is taken. \param what  "the OME PhysicalSizeX". */
std::string NoteOnNegativeSpacing(const std::string & what);

inline void
NoteIf(bool condition, const std::string & note, std::vector<std::string> & notes)
{
  if (condition)
  {
    notes.push_back(note);
  }
}

/** The note on axes whose spacing is negative, so that their direction is the opposite one. \param axes  "x, y". */
std::string NoteOnFlippedAxes(const std::string & axes);

/** Makes spacings positive; a negative one flips the direction, with a note. \throws Error for no volume. */
void SettleSpacing(LoadedImage & image);

/** The extent of an image of a file. `sizes` may have any length. Axes beyond the third are left out if they are
 *  trailing and have size 1.
 *  \throws Error unless there are then 1 to 4 axes, each of at least one voxel, and memory can hold the product. */
Extent SettleExtent(const std::vector<std::int64_t> & sizes);

/** "4 x 5 x 6". */
template <typename TSize>
std::string
SizesText(const std::vector<TSize> & sizes)
{
  return Joined(sizes, " x ", [](TSize size) { return std::to_string(size); });
}

/** The type of whole numbers of 1, 2, 4 or 8 bytes. */
ScalarType IntegerType(std::size_t bytes, bool isSigned);

/** The number of bytes of the voxels. \throws Error if they are more than can be addressed. */
std::size_t VoxelBytes(const Extent & extent, int channels, ScalarType type);

/** Reports an image before its voxels are read (ReadOptions::onHeader). */
void TellHeader(const ReadOptions & options, const LoadedImage & image);

void SwapBytes(void * values, std::size_t size, std::size_t count, const HostContext & context);

inline constexpr bool HostIsBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/** A scaling of stored values: value = slope * stored + intercept. */
struct Scaling
{
  double slope = 1;
  double intercept = 0;

  bool
  IsIdentity() const
  {
    return slope == 1 && intercept == 0;
  }
  friend bool
  operator==(const Scaling & a, const Scaling & b)
  {
    return a.slope == b.slope && a.intercept == b.intercept;
  }
};

/** The type for values that are stored with one of the scalings. If all scalings are identities it is the stored type.
 *  If slopes and intercepts are whole numbers it is the smallest integer type that holds every value for which stored
 *  numbers from `lowest` to `highest` can stand. Otherwise it is float32 for float32 and for stored types of up to 16
 *  bits, and float64 for all others.
 *  \throws Error for slopes that are 0 or not finite, and intercepts that are not finite. */
ScalarType TypeOfScaled(ScalarType stored, double lowest, double highest, const std::vector<Scaling> & scalings);

/** Writes slope * stored + intercept for `count` values, as `type`, which TypeOfScaled has given. */
void Rescale(const void *        stored,
             ScalarType          storedType,
             const Scaling &     scaling,
             void *              values,
             ScalarType          type,
             std::int64_t        count,
             const HostContext & context);

/** Rescales all values of an image unless the scaling is the identity. TypeOfScaled gives the new type from the limits
 *  of the old one. A note gives the slope, the intercept and `what`, the field that states them. */
void RescaleImage(const Scaling & scaling, const std::string & what, const HostContext & context, LoadedImage & image);

/** The millimeters of a unit ("mm", "um", "micron", "inch" ..., in any case, also "\\u00B5m"); 0 for other units. */
double Millimeters(const std::string & unit);

} // namespace brickccl::files
