// SPDX-License-Identifier: Apache-2.0
// The frames of DICOM files that do not give a position for each: GridFrameOffsetVector says where they are.

#include "BrickCCL/Files/Formats/DicomPlanes.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <cmath>

namespace brickccl::files::dicom
{

void
PlaceFrames(const DataSet & data, std::vector<Plane> & planes)
{
  std::vector<double> offsets(planes.size());
  const Plane         first = planes[0];
  if (!first.isPlaced || !data.Has(tags::FrameOffsets))
  {
    throw Unsupported("its " + Counted(planes.size(), "frame") +
                      " have no positions, so they may be moments in time or projections; give each frame a position "
                      "(PlanePositionSequence or GridFrameOffsetVector), or extract one frame");
  }
  data.FixedNumbers(tags::FrameOffsets, offsets.size(), offsets.data());
  // The offsets are distances from the first frame, or, in axial images, places along z (PS3.3 C.8.8.3.2).
  const double begin = offsets[0];
  double       normal[3];
  NormalOf(first.orientation, normal);
  // Positions and offsets are rounded separately.
  if (begin != 0 && (std::fabs(normal[2]) < 0.999 || std::fabs(begin - first.position[2]) > 0.01))
  {
    throw Error("GridFrameOffsetVector begins with " + Shortest(begin) +
                "; it must begin with 0, or in axial images with the z of ImagePositionPatient, " +
                Shortest(first.position[2]));
  }
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    const double distance = (offsets[i] - begin) / (begin == 0 ? 1 : normal[2]);
    for (int row = 0; row < 3; ++row)
    {
      planes[i].position[row] += distance * normal[row];
    }
  }
}

} // namespace brickccl::files::dicom
