// SPDX-License-Identifier: Apache-2.0
// Draws lines of a comma-separated file as a chart:
//
//   brickccl-line-chart FILE.csv OUT.svg|OUT.png TITLE X_TITLE Y_TITLE [--log]
//
// Each line of the file is "series,x,y"; --log makes both axes logarithmic.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Pictures/Chart.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace
{

/** \throws brickccl::Error for a file that cannot be read, or a line that does not have the form. */
std::vector<brickccl::ChartSeries>
ReadSeries(const std::string & path)
{
  std::ifstream                      file(path);
  std::vector<brickccl::ChartSeries> all;
  for (std::string line; std::getline(file, line);)
  {
    std::istringstream parts(line);
    std::string        name;
    char               comma = 0;
    double             x = 0, y = 0;
    if (!std::getline(parts, name, ',') || !(parts >> x >> comma >> y) || comma != ',')
    {
      throw brickccl::Error("'" + path + "' has the line '" + line + "'; write series,x,y");
    }
    if (all.empty() || all.back().name != name)
    {
      all.push_back({ name, {} });
    }
    all.back().points.emplace_back(x, y);
  }
  if (all.empty())
  {
    throw brickccl::Error("'" + path + "' cannot be read, or has no lines");
  }
  return all;
}

} // namespace

int
main(int argc, char ** argv)
{
  const bool isLogarithmic = argc == 7 && std::string(argv[6]) == "--log";
  if (argc != 6 && !isLogarithmic)
  {
    std::fprintf(stderr, "usage: brickccl-line-chart FILE.csv OUT.svg|OUT.png TITLE X_TITLE Y_TITLE [--log]\n");
    return 1;
  }
  try
  {
    brickccl::WriteLineChart(argv[2], { argv[3], argv[4], argv[5], isLogarithmic, ReadSeries(argv[1]) });
  }
  catch (const brickccl::Error & error)
  {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
