// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunLabel.h"

#include "BrickCCL/Core/Printable.h"

#include <iomanip>
#include <sstream>

namespace brickccl::cli
{

namespace
{

/** What was found, dropped by which limit, and kept; members of the summary. */
void
AddKept(nlohmann::ordered_json & summary,
        const RelabelReport &    relabeled,
        std::uint64_t            keptVoxels,
        const LoadedImage &      image)
{
  summary["components_found"] = relabeled.found;
  summary["dropped"] = { { "too_small", relabeled.tooSmall },
                         { "too_large", relabeled.tooLarge },
                         { "beyond_largest", relabeled.beyondLargest } };
  summary["kept_voxels"] = keptVoxels;
  const int dimension = image.extent.dimension;
  summary[std::string("kept_") + SizeName(dimension)] =
    static_cast<double>(keptVoxels) * image.geometry.VoxelVolume(dimension);
}

/** "kept: 12303 voxels, 12.3 mm^3; dropped of 2304 found: 2200 too small", with a line end. */
std::string
DescribeKept(const RelabelReport & relabeled, std::uint64_t keptVoxels, const LoadedImage & image)
{
  const int          dimension = image.extent.dimension;
  const double       size = static_cast<double>(keptVoxels) * image.geometry.VoxelVolume(dimension);
  std::ostringstream text;
  text << std::setprecision(6) << "kept: " << keptVoxels << " voxels, " << size << " mm"
       << (dimension == 1 ? "" : "^" + std::to_string(dimension));
  if (dimension == 3 && size >= 1000)
  {
    text << " (" << size / 1000 << " cm^3)";
  }
  if (relabeled.tooSmall + relabeled.tooLarge + relabeled.beyondLargest > 0)
  {
    text << "; dropped of " << relabeled.found << " found:";
    const char * separator = " ";
    for (const auto & [count, what] : { std::pair{ relabeled.tooSmall, "too small" },
                                        std::pair{ relabeled.tooLarge, "too large" },
                                        std::pair{ relabeled.beyondLargest, "beyond the largest" } })
    {
      if (count > 0)
      {
        text << separator << count << ' ' << what;
        separator = ", ";
      }
    }
  }
  text << '\n';
  return text.str();
}

} // namespace

nlohmann::ordered_json
AsJson(const job::Job & job, const LabelFindings & findings)
{
  const LoadedImage & image = findings.image;
  const Extent &      extent = image.extent;
  const auto          ifKnown = [](const std::string & name) {
    return name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(name);
  };
  nlohmann::ordered_json summary;
  summary["components"] = findings.components;
  summary["foreground_voxels"] = findings.foregroundVoxels;
  AddKept(summary, findings.relabeled, findings.keptVoxels, image);
  summary["nan_values"] = findings.notNumbers;
  if (findings.isMeasured)
  {
    summary["totals"] = ToJson(TotalsOf(findings.table));
  }
  summary["extent"] = std::vector<std::int64_t>(extent.size, extent.size + extent.dimension);
  AddSpacing(summary, image);
  summary["coordinates"] = job.ras ? "RAS" : "LPS";
  summary["channels"] = image.channels;
  AddNeighbors(summary, job, findings.connectivity, findings.periodic);
  summary["criterion"] = findings.segmented.CriterionText(job);
  AddSegmented(summary, job, findings.segmented, findings.table);
  summary["output"] = ifKnown(findings.output);
  summary["filter"] = FilterAsJson(findings.filter, findings.filtered);
  summary["label_type"] = NameOf(findings.type);
  summary["algorithm"] = ifKnown(findings.algorithm);
  summary["device"] = ifKnown(findings.device);
  return summary;
}

std::string
AsText(const job::Job & job, const LabelFindings & findings)
{
  const LoadedImage & image = findings.image;
  std::ostringstream  text;
  text << findings.components << (findings.components == 1 ? " component" : " components") << ", connectivity "
       << DescribeNeighbors(findings.connectivity, findings.periodic) << ", criterion "
       << findings.segmented.CriterionText(job) << '\n'
       << DescribeSegmented(job, findings.segmented, findings.table) << findings.foregroundVoxels
       << " foreground voxels of " << image.extent.VoxelCount() << " (" << image.extent.ToString()
       << (image.channels > 1 ? ", " + std::to_string(image.channels) + " channels" : "") << ", spacing "
       << DescribeSpacing(image) << ")\n"
       << DescribeFilter(findings.filter, findings.filtered)
       << DescribeKept(findings.relabeled, findings.keptVoxels, image)
       << (findings.output.empty() ? "no label map"
                                   : Printable(findings.output) + ": labels of type " + NameOf(findings.type))
       << (findings.algorithm.empty() ? "" : ", algorithm " + findings.algorithm + " on " + findings.device) << '\n';
  return text.str();
}

} // namespace brickccl::cli
