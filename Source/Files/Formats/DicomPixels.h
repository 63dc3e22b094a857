// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Files/Formats/DicomElements.h"
#include "BrickCCL/Files/Settle.h"

#include <cstdint>
#include <string>

namespace brickccl::files::dicom
{

struct PixelFormat
{
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t frames = 1;
  int          samples = 1;
  /** 1, 8, 16, 32 or 64. `bitsStored` of these bits hold the value; the highest of them is `highBit`. */
  int  bitsAllocated = 8;
  int  bitsStored = 8;
  int  highBit = 7;
  bool isSigned = false;
  /** Whether each sample of the pixels has a plane of its own. */
  bool planar = false;
  /** Whether pixel data are compressed, in fragments. */
  bool        encapsulated = false;
  std::string photometric;
  ScalarType  type = ScalarType::UInt8;

  std::int64_t
  PixelsOfFrame() const
  {
    return rows * columns;
  }
  /** The size of a frame whose values have 8 bits or more. */
  std::size_t
  BytesOfFrame() const
  {
    return static_cast<std::size_t>(rows * columns) * static_cast<std::size_t>(samples) *
           static_cast<std::size_t>(bitsAllocated) / 8;
  }
  double Lowest() const;
  double Highest() const;
};

/** \throws Error for a header that contradicts itself, and for pixel data that are shorter than it says. */
PixelFormat ReadPixelFormat(const File & file);

/** Writes the values of a frame, samples side by side.
 *  \param stored  the first byte of the frame; for values of 1 bit, the first byte of the pixel data. */
void WriteFrame(const PixelFormat &   format,
                const unsigned char * stored,
                std::int64_t          frame,
                const Scaling &       scaling,
                ScalarType            type,
                void *                voxels);

} // namespace brickccl::files::dicom
