#ifndef BRICKCCL_FILES_SETTLE_H
#define BRICKCCL_FILES_SETTLE_H

#include "BrickCCL/Files/ImageFile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Sets an image's spacing and direction from the vectors (mm, LPS) from a voxel to the next along each axis,
 *  vectors[axis][row], and its origin as it is.
 *
 *  Axes at right angles, within 1e-4, become spacing and direction. Others are refused, or with
 *  `options.acceptSheared` become the nearest orthogonal ones that keep the plane of x and y and the volume of a voxel:
 *  x stays, y loses its part along x, z its part along x and y; a note says so.
 *  \param what  names the vectors in errors: "space directions".
 *  \throws Error for vectors that are 0, not finite, parallel or, unless accepted, sheared. */
void SettleAxes(const double (&vectors)[MaximumDimension][MaximumDimension],
                const std::string & what,
                const ReadOptions & options,
                LoadedImage &       image);

/** \throws Error for spacings that give no volume; negative ones flip the direction. */
void SettleSpacing(LoadedImage & image);

/** The extent of an image of a file: \throws Error unless there are 1 to 4 axes, when trailing ones of size 1 are left
 *  out, each of at least one voxel, with a product that memory can hold. Axes beyond the third are left out if they
 *  have size 1. `sizes` may have any length. */
Extent SettleExtent(const std::vector<std::int64_t> & sizes);

/** The number of bytes of voxels. \throws Error where it is beyond what can be addressed. */
std::size_t VoxelBytes(const Extent & extent, int channels, ScalarType type);

/** Swaps the bytes of each of `count` values of `size` bytes. */
void SwapBytes(void * values, std::size_t size, std::size_t count, const HostContext & context);

inline constexpr bool HostIsBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/** Values that are stored as other numbers: value = slope * stored + intercept. */
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

/** The type for values that are stored with one of the scalings: the stored one if all are identities; else the
 *  smallest integer type that holds every value that stored numbers from `lowest` to `highest` can stand for, if slopes
 *  and intercepts are whole numbers; else float32 for stored types of up to 16 bits and float32, else float64.
 *  \throws Error for slopes that are 0 or not finite, and intercepts that are not finite. */
ScalarType TypeOfScaled(ScalarType stored, double lowest, double highest, const std::vector<Scaling> & scalings);

/** Writes slope * stored + intercept, as type `type` (from TypeOfScaled), for `count` values. */
void Rescale(const void *        stored,
             ScalarType          storedType,
             const Scaling &     scaling,
             void *              values,
             ScalarType          type,
             std::int64_t        count,
             const HostContext & context);

/** Rescales all values of an image whose scaling is no identity, by TypeOfScaled with the limits of its type; a note
 *  names the slope, the intercept and `what` states them. */
void RescaleImage(const Scaling & scaling, const std::string & what, const HostContext & context, LoadedImage & image);

/** A number with as many digits as tell it from its neighbours, "0.1" rather than "0.100000". */
std::string Shortest(double value);

/** Millimetres of a unit of length ("mm", "um", "micron", "m", "cm", "nm", "inch" ..., in any case, also "\\u00B5m");
 *  0 if it is none. */
double Millimetres(const std::string & unit);

} // namespace brickccl::files

#endif
