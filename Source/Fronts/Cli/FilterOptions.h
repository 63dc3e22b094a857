#ifndef BRICKCCL_CLI_FILTEROPTIONS_H
#define BRICKCCL_CLI_FILTEROPTIONS_H

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Cli/FileOptions.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace brickccl::cli
{

/** The options for the sizes of components to keep. */
struct SizeArguments
{
  std::uint64_t minimumSize = 0;
  double        minimumVolume = 0;
  std::uint64_t largest = 0;
};

/** \param largestHelp  says of which components the largest stay. */
void AddSizeOptions(CLI::App & command, SizeArguments & arguments, const std::string & largestHelp);

/** What commands ask about holes. */
struct HoleArguments
{
  /** Empty without --fill-holes. */
  std::string   maximumVolume;
  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();
  std::string   bySlice;

  bool
  AreFilled() const
  {
    return !maximumVolume.empty();
  }
};

/** \param which  says which enclosed background is filled: "enclosed background". */
void AddHoleOptions(CLI::App & command, HoleArguments & arguments, const std::string & which);

/** The holes that are filled; nothing without --fill-holes.
 *  \throws InvalidArgument for slices that do not exist. */
std::optional<HoleOptions>
HolesOf(const HoleArguments & arguments, const Connectivity & connectivity, const Extent & extent);

/** What `label` asks about holes, and about components that stay for another reason than their size. */
struct FilterArguments
{
  HoleArguments holes;
  std::string   seeds;
  bool          seedsArePhysical = false;
  bool          clearBorder = false;
  std::string   touching;
};

void AddFilterOptions(CLI::App & command, FilterArguments & arguments);

/** A filter and the image that it looks at. */
struct LoadedFilter
{
  ComponentFilter            filter;
  std::optional<LoadedImage> touching;
};

/** The filter that is asked for. \throws InvalidArgument for seeds outside of the image, and for a mask on another
 *  grid. */
LoadedFilter ReadFilter(const FilterArguments & arguments,
                        const Connectivity &    connectivity,
                        const LoadedImage &     image,
                        ImageReader &           reader);

/** What a filter did, for the summary as JSON (null without a filter) and as text (a line, or nothing without one). */
nlohmann::ordered_json FilterAsJson(const ComponentFilter & filter, const ComponentFilterReport & report);
std::string            DescribeFilter(const ComponentFilter & filter, const ComponentFilterReport & report);

} // namespace brickccl::cli

#endif
