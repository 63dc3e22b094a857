// SPDX-License-Identifier: Apache-2.0
// Reads images as the command does and prints the result, for tests that compare it with an independent reader:
//   brickccl-dump-image [OPTION ...] IMAGE VOXELS
// It writes the voxels, x fastest, channels side by side, in the machine's byte order. It prints the rest as JSON.

#include "BrickCCL/Files/ImageFile.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

int
main(int argc, char ** argv)
{
  brickccl::ReadOptions    options;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i)
  {
    const std::string argument = argv[i];
    if (argument == "--accept-sheared")
    {
      options.acceptSheared = true;
    }
    else if (argument == "--accept-irregular-slices")
    {
      options.acceptIrregularSlices = true;
    }
    else if (argument == "--as-labels")
    {
      options.asLabels = true;
    }
    else if (argument == "--raw" && i + 1 < argc)
    {
      options.raw = argv[++i];
    }
    else if (argument == "--series" && i + 1 < argc)
    {
      options.series = argv[++i];
    }
    else if (argument == "--spacing" && i + 3 < argc)
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        options.spacing.push_back(std::atof(argv[++i]));
      }
    }
    else
    {
      paths.push_back(argument);
    }
  }
  if (paths.size() != 2)
  {
    std::cerr << "usage: brickccl-dump-image [OPTION ...] IMAGE VOXELS" << std::endl;
    return 2;
  }
  try
  {
    const brickccl::LoadedImage image = brickccl::ReadImageFile(paths[0], options);
    std::ofstream               stream(paths[1], std::ios::binary);
    stream.write(reinterpret_cast<const char *>(image.voxels.Data()), static_cast<std::streamsize>(image.ByteCount()));
    nlohmann::json summary;
    const auto &   extent = image.extent;
    const auto &   geometry = image.geometry;
    summary["type"] = brickccl::NameOf(image.type);
    summary["channels"] = image.channels;
    summary["size"] = std::vector<std::int64_t>(extent.size, extent.size + extent.dimension);
    summary["spacing"] = std::vector<double>(geometry.spacing, geometry.spacing + extent.dimension);
    summary["origin"] = std::vector<double>(geometry.origin, geometry.origin + extent.dimension);
    for (int row = 0; row < extent.dimension; ++row)
    {
      summary["direction"].push_back(
        std::vector<double>(geometry.direction[row], geometry.direction[row] + extent.dimension));
    }
    summary["spacing_source"] = image.spacingSource;
    summary["notes"] = image.notes;
    std::cout << summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
    return stream ? 0 : 2;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
