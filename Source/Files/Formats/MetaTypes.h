// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_METATYPES_H
#define BRICKCCL_FILES_FORMATS_METATYPES_H

#include "BrickCCL/Core/VolumeView.h"

namespace brickccl::files
{

struct MetaType
{
  const char * name;
  ScalarType   type;
};

/** The types of voxels of MetaImage; of several names of a type, the first one is written. */
inline constexpr MetaType MetaTypes[] = { { "MET_CHAR", ScalarType::Int8 },
                                          { "MET_UCHAR", ScalarType::UInt8 },
                                          { "MET_SHORT", ScalarType::Int16 },
                                          { "MET_USHORT", ScalarType::UInt16 },
                                          { "MET_INT", ScalarType::Int32 },
                                          { "MET_UINT", ScalarType::UInt32 },
                                          { "MET_LONG_LONG", ScalarType::Int64 },
                                          { "MET_ULONG_LONG", ScalarType::UInt64 },
                                          { "MET_FLOAT", ScalarType::Float32 },
                                          { "MET_DOUBLE", ScalarType::Float64 },
                                          // These have four bytes in files.
                                          { "MET_LONG", ScalarType::Int32 },
                                          { "MET_ULONG", ScalarType::UInt32 } };

} // namespace brickccl::files

#endif
