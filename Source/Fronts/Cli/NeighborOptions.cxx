// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/NeighborOptions.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Job/JobCriterion.h"

#include <algorithm>
#include <fstream>
#include <vector>

namespace brickccl::cli
{

/** The zeros and ones of a text: x fastest, then y, z, t; # begins a comment. */
static std::vector<bool>
ElementOfText(const std::string & path)
{
  std::ifstream     file(path);
  std::vector<bool> element;
  for (std::string line; std::getline(file, line);)
  {
    for (const char letter : line.substr(0, line.find('#')))
    {
      if (letter == '0' || letter == '1')
      {
        element.push_back(letter == '1');
      }
      else if (letter != ' ' && letter != '\t' && letter != '\r')
      {
        throw InvalidArgument("the neighborhood " + Quoted(path) + " holds " + Quoted(std::string(1, letter)) +
                              "; it must consist of 0 and 1, spaces, line ends and comments after #");
      }
    }
  }
  return element;
}

static Connectivity
NeighborhoodOfFile(const std::string & path, int dimension)
{
  try
  {
    return Connectivity::FromStructuringElement(dimension, ElementOfText(path));
  }
  catch (const InvalidArgument & error)
  {
    throw InvalidArgument(Quoted(path) + ": " + error.what());
  }
}

std::string
NeighborhoodFile(const job::Neighbors & arguments)
{
  return IsNeighborhoodText(arguments.neighborhood) ? std::string() : arguments.neighborhood;
}

Connectivity
ConnectivityFor(const job::Neighbors & arguments, const Extent & extent, ImageReader & reader)
{
  if (NeighborhoodFile(arguments).empty())
  {
    return job::ConnectivityOf(arguments, extent);
  }
  Connectivity connectivity = NeighborhoodOfFile(arguments.neighborhood, extent.dimension);
  reader.NoteIf(connectivity.NeighborCount() == 0,
                "the neighborhood '" + arguments.neighborhood +
                  "' names no neighbor, so that every voxel is a component of its own");
  return connectivity;
}

PeriodicAxes
PeriodicFor(const job::Neighbors & arguments, const Connectivity & connectivity)
{
  std::string axes = arguments.periodic;
  axes.erase(std::remove_if(axes.begin(), axes.end(), [](char letter) { return letter == ',' || letter == ' '; }),
             axes.end());
  const PeriodicAxes periodic = PeriodicAxes::FromNames(axes);
  CheckPeriodic(periodic, connectivity);
  return periodic;
}

void
AddNeighbors(job::Findings &        findings,
             const job::Neighbors & arguments,
             const Connectivity &   connectivity,
             const PeriodicAxes &   periodic,
             int                    line)
{
  const auto textOrNull = [](const std::string & text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  std::string       text = connectivity.ToString();
  const std::string number = std::to_string(connectivity.NeighborCount());
  text.replace(0, number.size(), Counted(connectivity.NeighborCount(), "neighbor"));
  if (const std::size_t open = text.find(" ("); open != std::string::npos)
  {
    text.replace(open, 2, ": ").erase(text.find(')'), 1);
  }
  findings.push_back({ "connectivity", connectivity.NeighborCount() });
  findings.push_back({ "neighborhood", textOrNull(arguments.neighborhood) });
  findings.push_back({ "periodic", textOrNull(periodic.ToString()) });
  findings.push_back({ "by_slice", textOrNull(arguments.bySlice) });
  findings.push_back({ "", text + (periodic.HasAny() ? ", periodic along " + periodic.ToString() : ""), line, "(#)" });
}

} // namespace brickccl::cli
