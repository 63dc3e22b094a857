// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/ImageFile.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Shared by the formats of arrays, whose last axis is the fastest: HDF5 and Zarr.
namespace brickccl::files
{

using ArrayShape = std::vector<std::uint64_t>;

/** Slices of an array along an axis, before which all axes have size 1. */
struct ArraySlices
{
  std::size_t   axis = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct ArrayBox
{
  ArrayShape begin;
  ArrayShape size;

  std::uint64_t Count() const;
};

/** The boxes that cover slices of an array that is divided into cells of one shape. \throws Unsupported for too many */
std::vector<ArrayBox> CutIntoBoxes(const ArrayShape & shape, const ArrayShape & cell, const ArraySlices & slices);

/** Copies the rows of a box to their places among the values of the slices. \param stored  the shape of the array at
 *  whose corner the box's values, of `valueBytes` each, begin */
void PutBox(const ArrayShape &  shape,
            const ArrayBox &    box,
            const ArraySlices & slices,
            const ArrayShape &  stored,
            std::size_t         valueBytes,
            const std::byte *   values,
            std::byte *         output);

/** The axes of space and time of an array, from the slowest to the fastest, and the number of channels. */
struct ArrayAxes
{
  std::vector<std::size_t> places;
  /** In the order of an image, from x on. */
  std::vector<std::int64_t> sizes;
  int                       channels = 1;
  std::vector<std::string>  notes;
};

/** \param letters  t, z, y, x, c or ? of each axis
 *  \param source  of the letters, for errors: "axistags"
 *  \throws Error for axes in another order than t, z, y, x, c. */
ArrayAxes AxesOf(const std::string & letters, const ArrayShape & shape, const std::string & source);

/** Reads the voxels of an image with the values of an array, or arranges that they are read in parts.
 *  \param chunk  the shape of what is stored together; empty if all is */
void TakeSlices(const ArrayShape &                                                                        shape,
                const ArrayShape &                                                                        chunk,
                const ReadOptions &                                                                       options,
                const std::function<void(const ArraySlices &, const HostContext &, std::byte * output)> & read,
                LoadedImage &                                                                             image);

/** Attributes, mostly of netCDF, that change stored values, mark missing ones or name axes. */
inline constexpr const char * AttributesOfValues[] = { "DIMENSION_LIST", "DIMENSION_LABELS", "scale_factor",
                                                       "add_offset",     "_Unsigned",        "_FillValue",
                                                       "missing_value",  "valid_min",        "valid_max",
                                                       "valid_range" };

} // namespace brickccl::files
