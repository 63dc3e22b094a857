// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include "BrickCCL/Bricks/BrickProblem.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Streaming/FileSample.h"
#include "BrickCCL/Streaming/PoresBySlabs.h"
#include "BrickCCL/Streaming/SlabLabeler.h"
#include "BrickCCL/Streaming/WorkFolder.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

namespace brickccl
{

namespace
{

/** The files of an image, with their sizes, the times of their last changes, and checksums of samples. Numbers of
 *  inodes are not among it: some network file systems give files new ones. */
void
DescribeFiles(const char * what, const LoadedImage * image, std::ostream & text)
{
  if (image == nullptr)
  {
    return;
  }
  text << what << ": " << image->extent.ToString() << ' ' << NameOf(image->type) << " x " << image->channels << '\n';
  if (!image->part.empty())
  {
    text << "dataset of " << what << ": " << image->part << '\n';
  }
  const std::set<std::string> files(image->files.begin(), image->files.end());
  for (const std::string & file : files)
  {
    const files::FileStamp stamp = files::FileStamp::Of(file);
    if (!stamp.isThere)
    {
      continue;
    }
    text << "bytes of " << what << " file " << Quoted(file) << ": " << stamp.size << '\n'
         << WorkFolder::TimeKey << what << " file " << Quoted(file) << ": " << stamp.time << ' ' << stamp.statusChange
         << ' ' << SampleOf(file, SampledBytes / files.size()) << '\n';
  }
}

/** The beginning of the line with the slices of a slab. An earlier plan's stays, also in another memory. */
constexpr const char * SlicesLine = "slices of a slab: ";

/** The slices of a slab in an earlier plan; 0 if there is none. */
std::int64_t
SlicesOf(const std::string & plan)
{
  const std::size_t place = plan.find(SlicesLine);
  return place == std::string::npos ? 0 : std::atoll(plan.c_str() + place + std::strlen(SlicesLine));
}

/** The properties that must not change for a state to be reused. */
std::string
DescribePlan(const SlabImages & images, const SlabOptions & options)
{
  std::ostringstream text;
  const Extent &     extent = images.image->extent;
  const auto         connectivity = options.label.connectivity.value_or(Connectivity::Face(extent.dimension));
  text.precision(17);
  text << "state of: brickccl " << Version << '\n';
  DescribeFiles("image", images.image, text);
  DescribeFiles("mask", images.mask, text);
  DescribeFiles("intensity", images.intensity, text);
  text << SlicesLine << SlicesOfSlab(options.plan) << '\n'
       << "connectivity: " << connectivity.ToString() << '\n'
       << (options.pores ? "material of the part: " : "criterion: ") << options.label.criterion.ToString() << '\n'
       << "periodic axes: " << (options.label.periodic.HasAny() ? options.label.periodic.ToString() : "none") << '\n';
  const RelabelOptions & relabel = options.label.relabel;
  text << "order: " << (relabel.order == LabelOrder::Raster ? "raster" : "size") << '\n'
       << "minimum size: " << relabel.minimumSize << '\n'
       << "maximum size: " << (relabel.maximumSize + 1 == 0 ? "none" : std::to_string(relabel.maximumSize)) << '\n'
       << "largest: " << (relabel.largest == 0 ? "all" : std::to_string(relabel.largest))
       << (relabel.largestAcross ? " of each slice" : "") << '\n'
       << "minimum volume: " << options.label.minimumVolume
       << "\ntable (--statistics, --print, --columns): " << (options.measures ? "yes" : "no");
  for (const ColumnGroup * const group : options.groups.List())
  {
    text << ' ' << group->name;
  }
  text << "\ngeometry:";
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    text << ' ' << options.label.geometry.spacing[axis] << ' ' << options.label.geometry.origin[axis];
  }
  // Names above may say less than all: a neighborhood's, and numbers beyond ten digits.
  ByteWriter          problem;
  const LoadedImage & image = *images.image;
  BrickProblem(connectivity, options.label.criterion, image.type, image.channels, options.label.periodic, relabel)
    .Write(problem);
  text << "\nsettings as bytes:";
  for (const std::uint8_t byte : problem.Written())
  {
    text << ' ' << int{ byte };
  }
  text << '\n';
  return text.str();
}

} // namespace

SlabPlan
PlanFor(const SlabImages & images, const SlabOptions & options)
{
  MeasureOptions measure;
  measure.groups = options.groups;
  CheckColumnsOfBricks(measure, options.label.periodic);
  SlabPlan plan = PlanSlabs(images,
                            options.label.criterion,
                            options.memory,
                            options.label.threads,
                            options.resume ? SlicesOf(WorkFolder::PlanIn(options.work)) : 0,
                            options.pores);
  options.note("plan: " + plan.ToString());
  return plan;
}

SlabResult
LabelBySlabs(const SlabImages & images, const SlabOptions & options)
{
  const WorkFolder folder(options.work, options.output, DescribePlan(images, options), options.resume);
  if (options.pores)
  {
    return LabelPoresBySlabs(images, options, folder);
  }
  SlabLabeler labeler(images, options, folder);
  labeler.LabelSlabs();
  labeler.Merge();
  if (options.measures)
  {
    labeler.MergeTables();
  }
  labeler.Write();
  return std::move(labeler.Result());
}

ValueHistogram
HistogramBySlabs(const SlabImages & images, const SlabPlan & plan, const HostContext & context)
{
  const ImageParts parts = [&](const auto & look) {
    SlabReader reader({ images.image, images.mask }, plan.keepsSlices);
    for (const BrickBox & slab : plan.slabs)
    {
      const SlabViews views = reader.Read(slab);
      look(views.image, views.mask);
      reader.Forget(slab);
    }
  };
  return HistogramOfValues(images.image->type, parts, context.Quiet());
}

} // namespace brickccl
