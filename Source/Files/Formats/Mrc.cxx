// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <cmath>
#include <cstring>

namespace brickccl::files
{

namespace
{

constexpr std::uint64_t HeaderBytes = 1024;

/** The header of a file. Its numbers have either byte order. */
class MrcHeader
{
public:
  explicit MrcHeader(const FileBytes & file)
    : m_File(file)
  {
    file.Require(0, HeaderBytes);
    const int stamp = file.Data()[212];
    m_IsBig = stamp == 0x11;
    if (stamp != 0x11 && stamp != 0x44 && stamp != 0x41)
    {
      // Some writers leave the stamp out. Then the order of axes decides, or else the width, which is larger in the
      // wrong byte order.
      const unsigned char * const axis = file.Data() + 64;
      m_IsBig = axis[0] == 0 && axis[3] != 0;
      if (axis[0] == 0 && axis[3] == 0)
      {
        const auto little = static_cast<std::uint32_t>(Integer(0));
        m_IsBig = __builtin_bswap32(little) < little;
      }
    }
  }

  bool
  IsSwapped() const
  {
    return m_IsBig != HostIsBigEndian;
  }
  /** The number at index `word`, which counts from 0; the standard counts from 1. */
  std::int32_t
  Integer(int word) const
  {
    return static_cast<std::int32_t>(m_File.Number(4 * static_cast<std::uint64_t>(word), 4, m_IsBig));
  }
  double
  Float(int word) const
  {
    return m_File.Real(4 * static_cast<std::uint64_t>(word), 4, m_IsBig);
  }

private:
  const FileBytes & m_File;
  bool              m_IsBig = false;
};

ScalarType
TypeOfMrc(const MrcHeader & header)
{
  const bool         isImod = header.Integer(38) == 1146047817;
  const std::int32_t mode = header.Integer(3);
  switch (mode)
  {
  case 0:
    ThrowIf<Unsupported>(isImod && (header.Integer(39) & 16) != 0,
                         "each of its bytes holds two 4-bit numbers (imodFlags); save it as bytes or 16-bit integers");
    // The standard requires signed bytes. A flag of IMOD says whether they are signed.
    return isImod && (header.Integer(39) & 1) == 0 ? ScalarType::UInt8 : ScalarType::Int8;
  case 1:
    return ScalarType::Int16;
  case 2:
    return ScalarType::Float32;
  case 6:
    return ScalarType::UInt16;
  default:
    throw Unsupported("its mode is " + std::to_string(mode) +
                      (mode == 3 || mode == 4 ? " (complex numbers)"
                       : mode == 12           ? " (16-bit floating-point numbers)"
                       : mode == 101          ? " (4-bit numbers)"
                                              : "") +
                      "; modes 0, 1, 2 and 6 are read");
  }
}

/** \throws Unsupported unless columns, rows and sections are along x, y and z. Some writers leave the axes at 0. */
void
CheckAxes(const MrcHeader & header)
{
  const int numbers[3] = { header.Integer(16), header.Integer(17), header.Integer(18) };
  for (int axis = 0; axis < 3; ++axis)
  {
    ThrowIf<Unsupported>(numbers[axis] != axis + 1 && (numbers[0] != 0 || numbers[1] != 0 || numbers[2] != 0),
                         "its axes are in the order " + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) +
                           ", " + std::to_string(numbers[2]) + "; 1, 2, 3 (x fastest) is read: reorder them");
  }
}

void
SetGeometry(const MrcHeader & header, LoadedImage & image)
{
  constexpr double millimetersPerAngstrom = 1e-7;
  const int        dimension = std::min(3, image.extent.dimension);
  bool             isTold = true;
  for (int axis = 0; axis < 3; ++axis)
  {
    const double length = header.Float(10 + axis);
    const double count = header.Integer(7 + axis);
    isTold = isTold && length > 0 && std::isfinite(length) && count > 0;
    const double angle = header.Float(13 + axis);
    ThrowIf<Unsupported>(length > 0 && angle != 0 && !(std::fabs(angle - 90) < 1e-3),
                         "its axes meet at an angle of " + Shortest(angle) + " degrees; only right angles are read");
  }
  if (!isTold)
  {
    image.spacingSource = "none";
    return;
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    auto & spacing = image.geometry.spacing[axis];
    // The lengths are floats, so six digits of the quotient are significant.
    spacing = header.Float(10 + axis) * millimetersPerAngstrom / header.Integer(7 + axis);
    const double origin = header.Float(49 + axis) * millimetersPerAngstrom;
    // The origin counts if there is one, else the number of the first voxel.
    image.geometry.origin[axis] = origin != 0 ? origin : spacing * header.Integer(4 + axis);
  }
  SettleSpacing(image);
}

} // namespace

bool
IsMrc(const FileBytes & file)
{
  return file.Size() >= 212 && std::memcmp(file.Data() + 208, "MAP ", 4) == 0;
}

LoadedImage
ReadMrc(const FileBytes & file, const ReadOptions & options)
{
  const MrcHeader           header(file);
  LoadedImage               image;
  std::vector<std::int64_t> sizes = { header.Integer(0), header.Integer(1), header.Integer(2) };
  CheckAxes(header);
  const std::int64_t spaceGroup = header.Integer(22);
  const std::int64_t sectionsOfVolume = header.Integer(9);
  ThrowIf<Unsupported>(spaceGroup >= 401 && spaceGroup <= 630 && sectionsOfVolume > 0 && sectionsOfVolume < sizes[2],
                       "it is a stack of volumes (space group " + std::to_string(spaceGroup) + "); save one of them");
  // By the standard a volume has the space group 1, and as many sections along z as intervals.
  if (spaceGroup == 0 && sectionsOfVolume == 1 && sizes[2] > 1)
  {
    image.notes.push_back(
      "its sections are a stack of images (space group 0), read as the slices of a volume; --by-slice "
      "keeps them apart");
  }
  // A single section along z makes an image of two dimensions.
  if (sizes[2] == 1)
  {
    sizes.pop_back();
  }
  image.type = TypeOfMrc(header);
  image.extent = SettleExtent(sizes);
  const std::int64_t extended = header.Integer(23);
  ThrowIf(extended < 0, "its extended header has " + std::to_string(extended) + " bytes; there must be at least 0");
  const std::uint64_t begin = HeaderBytes + static_cast<std::uint64_t>(extended);
  SetGeometry(header, image);
  TakeRest(file, begin, header.IsSwapped() != HostIsBigEndian, options, image);
  return image;
}

} // namespace brickccl::files
