// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_BENCHMARKS_BENCHMARKINPUTS_H
#define BRICKCCL_TESTING_BENCHMARKS_BENCHMARKINPUTS_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Host/Buffer.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace brickccl::testing
{

/** The input: voxels of one channel, 2-D or 3-D. */
struct Input
{
  std::string  name;
  ScalarType   type;
  Extent       extent;
  Buffer<char> bytes;
  Criterion    criterion = Criterion::Foreground();

  /** Copies voxels to large pages, if the system has them to give, as numpy does for the peers. */
  void
  SetVoxels(const void * voxels)
  {
    bytes.Resize(static_cast<std::size_t>(extent.VoxelCount()) * SizeOf(type));
    std::memcpy(bytes.Data(), voxels, bytes.Size());
  }

  ImageView
  View() const
  {
    ImageView view;
    view.data = bytes.Data();
    view.type = type;
    view.extent = extent;
    return view;
  }
};

/** The arguments of MakeCase, one line each. */
extern const char * const caseList;

/** A case by its name: the words that `caseList` explains. \throws InvalidArgument for other words. */
Input MakeCase(const std::string & name);

/** An image file, read as the command reads it. */
Input ReadInput(const std::string & file, const Criterion & criterion);

} // namespace brickccl::testing

#endif
