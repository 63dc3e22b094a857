// SPDX-License-Identifier: Apache-2.0
#include "Cleaning.h"

#include "Hooks.h"
#include "Rules.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Criteria/VoxelValue.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>

namespace brickccl::python
{

namespace
{

/** A value of a class as a number of Python: exact where it is whole. */
nb::object
ToPython(Number value, ScalarType type)
{
  if (type == ScalarType::Float32 || type == ScalarType::Float64)
  {
    return nb::float_(static_cast<double>(value));
  }
  return value < 0 ? nb::object(nb::int_(static_cast<std::int64_t>(value)))
                   : nb::object(nb::int_(static_cast<std::uint64_t>(value)));
}

/** A class: its value and the counts of CleanedClass. */
using ClassRow =
  std::tuple<nb::object, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<ClassRow>
RowsOf(const CleanReport & report, ScalarType type)
{
  std::vector<ClassRow> rows;
  for (const CleanedClass & one : report.classes)
  {
    rows.emplace_back(ToPython(one.value, type),
                      one.components,
                      one.voxels,
                      one.removedComponents,
                      one.removedVoxels,
                      one.filledHoles,
                      one.filledVoxels);
  }
  return rows;
}

/** Its classes, and the values that were to be cleaned and that no voxel has. */
std::pair<std::vector<ClassRow>, std::vector<std::string>>
CleanArray(const InputArray &              segmentation,
           const OutputArray &             output,
           const Rules &                   rules,
           nb::handle                      background,
           const std::vector<nb::object> & values,
           const std::optional<Holes> &    holes,
           bool                            countComponents,
           const Geometry &                geometry,
           nb::object                      progress)
{
  const ImageView  view = ViewOf(segmentation);
  const ScalarType type = CheckOutput(output, view.extent);
  if (type != view.type)
  {
    throw InvalidArgument(std::string("the output is of type ") + NameOf(type) + ", the segmentation of type " +
                          NameOf(view.type) + "; they must be the same");
  }
  CleanOptions options;
  options.connectivity = rules.ConnectivityFor(view.extent.dimension);
  options.periodic = rules.options.periodic;
  options.background = NumberOf(background, "background");
  for (const nb::object & value : values)
  {
    options.values.push_back(NumberOf(value, "each of values"));
  }
  options.minimumSize = rules.options.relabel.minimumSize;
  options.minimumVolume = rules.options.minimumVolume;
  options.largest = rules.options.relabel.largest;
  if (holes)
  {
    options.holes = holes->Options();
  }
  options.countComponents = countComponents;
  options.device = { Device::Kind::Cpu, 0 };
  options.threads = ThreadsFor(view.extent, rules.options.threads);
  options.geometry = geometry;
  void * const             voxels = output.data();
  const CleanReport        report = WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    options.progress = hooks;
    return Clean(view, voxels, options);
  });
  std::vector<std::string> missing;
  for (const Number value : report.missing)
  {
    missing.push_back(value.ToString());
  }
  return { RowsOf(report, type), std::move(missing) };
}

/** A row of SweepStep: threshold as a value of the image, components, voxels of the largest one, voxels. */
using SweepRow = std::tuple<double, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<SweepRow>
SweepArray(const InputArray & image,
           double             from,
           double             to,
           int                steps,
           bool               below,
           const Rules &      rules,
           nb::object         progress)
{
  const ImageView view = ViewOf(image);
  SweepOptions    options;
  options.from = from;
  options.to = to;
  options.steps = steps;
  options.below = below;
  options.asVoxelValues = true;
  options.connectivity = rules.ConnectivityFor(view.extent.dimension);
  options.periodic = rules.options.periodic;
  options.device = { Device::Kind::Cpu, 0 };
  options.threads = ThreadsFor(view.extent, rules.options.threads);
  const auto            found = WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    options.progress = hooks;
    return Sweep(view, options);
  });
  std::vector<SweepRow> rows;
  for (const SweepStep & step : found)
  {
    rows.emplace_back(AsVoxelValue(step.threshold, view.type).Nearest(), step.components, step.largest, step.voxels);
  }
  return rows;
}

} // namespace

HoleOptions
Holes::Options() const
{
  HoleOptions options;
  options.maximumVolume = volume.value_or(options.maximumVolume);
  options.maximumSize = size.value_or(options.maximumSize);
  options.connectivity = connectivity;
  return options;
}

ComponentFilter
Filter::Get() const
{
  ComponentFilter filter;
  if (holes)
  {
    filter.holes = holes->Options();
  }
  filter.seeds = seeds;
  filter.clearBorder = clearBorder;
  filter.touching = ViewOf(touching);
  return filter;
}

void
BindCleaning(nb::module_ & module)
{
  nb::class_<Holes>(module, "Holes", "The holes to fill.")
    .def_static(
      "make",
      [](std::optional<double>        volume,
         std::optional<std::uint64_t> size,
         std::optional<int>           sliceAxis,
         const Rules *                objects,
         int                          dimension) {
        Holes holes{ volume, size, std::nullopt };
        if (sliceAxis && objects != nullptr)
        {
          holes.connectivity = DualWithinSlices(objects->ConnectivityFor(dimension), *sliceAxis);
        }
        return holes;
      },
      nb::arg("volume").none(),
      nb::arg("size").none(),
      nb::arg("slice_axis").none() = nb::none(),
      nb::arg("objects").none() = nb::none(),
      nb::arg("dimension") = 0);
  nb::class_<Filter>(module, "Filter", "Filters of components other than by size.")
    .def_static(
      "make",
      [](std::optional<Holes>                     holes,
         std::optional<std::vector<std::int64_t>> seeds,
         bool                                     clearBorder,
         std::optional<InputArray>                touching) {
        return Filter{ std::move(holes), std::move(seeds), clearBorder, std::move(touching) };
      },
      nb::arg("holes").none(),
      nb::arg("seeds").none(),
      nb::arg("clear_border"),
      nb::arg("touching").noconvert().none());
  module.def("clean",
             &CleanArray,
             nb::arg("segmentation").noconvert(),
             nb::arg("output").noconvert(),
             nb::arg("rules"),
             nb::arg("background"),
             nb::arg("values"),
             nb::arg("holes").none(),
             nb::arg("count_components"),
             nb::arg("geometry"),
             nb::arg("progress").none());
  module.def("sweep",
             &SweepArray,
             nb::arg("image").noconvert(),
             nb::arg("start"),
             nb::arg("stop"),
             nb::arg("steps"),
             nb::arg("below"),
             nb::arg("rules"),
             nb::arg("progress").none());
}

} // namespace brickccl::python
