// SPDX-License-Identifier: Apache-2.0
// Labels and measures the pores of a casting, a synthetic scan, and writes their table.
#include <BrickCCL/BrickCCL.h>
#include <BrickCCL/Phantoms/Phantoms.h>

#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <vector>

namespace
{

void
FindPores()
{
  const brickccl::Extent          extent{ 160, 160, 120 }; // x fastest
  const std::vector<std::int16_t> voxels = brickccl::MakeCasting(extent, 1).image;
  const brickccl::ImageView       image(voxels.data(), extent);

  brickccl::LabelOptions options;
  options.connectivity = brickccl::Connectivity::FromNeighborCount(26, 3);
  options.criterion = brickccl::Criterion::InRange(-std::numeric_limits<float>::infinity(), 1000);
  options.geometry.spacing[0] = options.geometry.spacing[1] = options.geometry.spacing[2] = 0.1; // mm
  options.minimumVolume = 0.02;                                                                  // mm^3
  options.relabel.maximumSize = 100000;                                                          // voxels
  options.relabel.order = brickccl::LabelOrder::Size;
  const brickccl::Labeling labeling = brickccl::Label(image, options);

  std::vector<std::uint32_t> labels(voxels.size());
  labeling.Write(labels.data());                             // 0 is background, 1..N are the components
  const brickccl::ComponentTable table = labeling.Measure(); // sizes, boxes, centroids ...

  std::cout << labeling.ComponentCount() << " pores" << std::endl;
  std::ofstream stream("pores.csv");
  brickccl::WriteDelimited(stream, table, ',');
  const brickccl::LabelLists lists = labeling.ListVoxels(); // all voxels of each component, grouped
  const std::int64_t         first = lists.voxels[lists.offsets[0]];
  std::cout << "the voxel " << first << " belongs to pore " << labels[static_cast<std::size_t>(first)] << std::endl;
}

} // namespace

int
main()
{
  try
  {
    FindPores();
    return 0;
  }
  catch (const std::exception & error)
  {
    std::cerr << "error: " << error.what() << std::endl;
    return 1;
  }
}
