// SPDX-License-Identifier: Apache-2.0
#include "Splitting.h"

#include "Arrays.h"
#include "Hooks.h"
#include "Rules.h"

#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Splitting/Morph.h"
#include "BrickCCL/Splitting/SlabSplitter.h"
#include "BrickCCL/Splitting/Split.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::python
{

namespace
{

void
CheckResult(const OutputArray & array, const Extent & extent, ScalarType type)
{
  if (CheckOutput(array, extent) != type)
  {
    throw InvalidArgument(std::string("the result is not of type ") + NameOf(type));
  }
}

/** A height, and whether it is in per cent. */
using Height = std::optional<std::pair<double, bool>>;

std::optional<SplitHeight>
HeightOf(const Height & height)
{
  return height ? std::optional(SplitHeight(height->first, height->second)) : std::nullopt;
}

template <typename T>
using Values = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/** \return the parent and the peak of each object */
std::pair<Values<std::uint64_t>, Values<double>>
SplitArray(const InputArray &                labels,
           const OutputArray &               objects,
           const Rules &                     rules,
           const Height &                    height,
           const std::optional<InputArray> & values,
           const std::optional<InputArray> & seeds,
           const Geometry &                  geometry,
           nb::object                        progress)
{
  const ImageView view = ViewOf(labels);
  CheckResult(objects, view.extent, ScalarType::UInt32);
  SplitOptions options;
  options.connectivity = rules.ConnectivityFor(view.extent.dimension);
  options.periodic = rules.options.periodic;
  options.height = HeightOf(height);
  options.values = ViewOf(values);
  options.seeds = ViewOf(seeds);
  options.geometry = geometry;
  options.threads = ThreadsFor(view.extent, rules.options.threads);
  auto * const               voxels = static_cast<std::uint32_t *>(objects.data());
  const SplitReport          report = WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    options.progress = hooks;
    return Split(view, voxels, options);
  });
  std::vector<std::uint64_t> parents;
  std::vector<double>        peaks;
  for (const SplitObject & object : report.objects)
  {
    parents.push_back(object.parent);
    peaks.push_back(object.peak);
  }
  return { ArrayOf(std::move(parents)), ArrayOf(std::move(peaks)) };
}

void
DistancesOf(const InputArray &  labels,
            const OutputArray & distances,
            std::optional<int>  sliceAxis,
            const Geometry &    geometry,
            int                 threads,
            nb::object          progress)
{
  const ImageView view = ViewOf(labels);
  CheckResult(distances, view.extent, ScalarType::Float32);
  DistanceOptions options;
  options.sliceAxis = sliceAxis.value_or(-1);
  options.geometry = geometry;
  options.threads = ThreadsFor(view.extent, threads);
  auto * const voxels = static_cast<float *>(distances.data());
  WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    options.progress = hooks;
    Distances(view, voxels, options);
  });
}

/** \return the voxels that became labeled, and those that became background. */
std::pair<std::uint64_t, std::uint64_t>
MorphArray(const InputArray &  labels,
           const OutputArray & result,
           int                 operation,
           double              radius,
           std::optional<int>  sliceAxis,
           const Geometry &    geometry,
           int                 threads,
           nb::object          progress)
{
  const ImageView view = ViewOf(labels);
  CheckResult(result, view.extent, view.type);
  MorphOptions options;
  options.operation = static_cast<MorphOperation>(operation);
  options.radius = radius;
  options.sliceAxis = sliceAxis.value_or(-1);
  options.geometry = geometry;
  options.threads = ThreadsFor(view.extent, threads);
  void * const voxels = result.data();
  MorphReport  report;
  WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    options.progress = hooks;
    report = Morph(view, voxels, options);
  });
  return { report.added, report.removed };
}

/** The splitter of a volume whose shape is given, x last. */
void
MakeSlabSplitter(SlabSplitter *                    self,
                 const std::vector<std::int64_t> & shape,
                 const Rules &                     rules,
                 const Geometry &                  geometry)
{
  const std::vector<std::int64_t> sizes(shape.rbegin(), shape.rend());
  const Extent                    extent(static_cast<int>(sizes.size()), sizes.data());
  new (self) SlabSplitter(extent, rules.ConnectivityFor(extent.dimension), geometry);
}

/** \param slices  the first of labels, and of the slab */
bool
FindRegions(SlabSplitter &                        splitter,
            const InputArray &                    labels,
            const OutputArray &                   regions,
            std::pair<std::int64_t, std::int64_t> slices,
            int                                   threads)
{
  const std::size_t place = labels.ndim() - 1 - static_cast<std::size_t>(splitter.Axis());
  CheckResult(regions, ViewOf(InputArray(regions)).extent, ScalarType::UInt32);
  ThrowIf<InvalidArgument>(ViewOf(labels).type != ScalarType::UInt32, "labels of slabs must be uint32");
  const auto                   last = slices.first + static_cast<std::int64_t>(labels.shape(place));
  const auto                   end = slices.second + static_cast<std::int64_t>(regions.shape(place));
  const auto * const           voxels = static_cast<const std::uint32_t *>(labels.data());
  auto * const                 found = static_cast<std::uint32_t *>(regions.data());
  const nb::gil_scoped_release unlocked;
  return splitter.FindRegions({ voxels, slices.first, last, slices.second, end }, found, { threads });
}

void
BindSlabSplitter(nb::module_ & module)
{
  nb::class_<SlabSplitter>(module, "SlabSplitter", "Splits the labels of a volume slab by slab.")
    .def("__init__", &MakeSlabSplitter, nb::arg("shape"), nb::arg("rules"), nb::arg("geometry"))
    .def_prop_ro("axis", &SlabSplitter::Axis, "The axis along which slabs are slices; 0 is x.")
    .def_prop_ro(
      "around",
      [](const SlabSplitter & splitter) { return splitter.GetAround().known; },
      "The slices on both sides of a slab that are needed, as far as is known.")
    .def("find_regions",
         &FindRegions,
         nb::arg("labels").noconvert(),
         nb::arg("regions").noconvert(),
         nb::arg("slices"),
         nb::arg("threads"),
         "Whether `around` slices were enough. `slices` are the first ones of the labels and of the slab.")
    .def(
      "merge",
      [](SlabSplitter & splitter, const Height & height) { return ArrayOf(splitter.Merge(HeightOf(height))); },
      nb::arg("height").none(),
      "Returns the label that each object is a part of.")
    .def(
      "make_objects",
      [](const SlabSplitter & splitter, const OutputArray & regions, int threads) {
        const Extent extent = ViewOf(InputArray(regions)).extent;
        CheckResult(regions, extent, ScalarType::UInt32);
        splitter.MakeObjects(static_cast<std::uint32_t *>(regions.data()), extent, { threads });
      },
      nb::arg("regions").noconvert(),
      nb::arg("threads"));
  module.def(
    "set_parents",
    [](ComponentTable & table, const nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::device::cpu> & parents) {
      const std::vector<std::uint32_t> all(parents.data(), parents.data() + parents.size());
      if (table.measures.Has<ClassValue>())
      {
        SetParents(table, all);
        return;
      }
      std::vector<ParentLabel> own;
      std::transform(all.begin(), all.end(), std::back_inserter(own), [](auto label) { return ParentLabel{ label }; });
      table.measures.Set(std::move(own));
      InsertGroup(groups::Parents, table.groups);
    },
    nb::arg("table"),
    nb::arg("parents"));
}

} // namespace

void
BindSplitting(nb::module_ & module)
{
  BindSlabSplitter(module);
  module.def("split",
             &SplitArray,
             nb::arg("labels").noconvert(),
             nb::arg("objects").noconvert(),
             nb::arg("rules"),
             nb::arg("height").none(),
             nb::arg("values").noconvert().none(),
             nb::arg("seeds").noconvert().none(),
             nb::arg("geometry"),
             nb::arg("progress").none());
  module.def("distances",
             &DistancesOf,
             nb::arg("labels").noconvert(),
             nb::arg("distances").noconvert(),
             nb::arg("slice_axis").none(),
             nb::arg("geometry"),
             nb::arg("threads"),
             nb::arg("progress").none());
  module.def("morph",
             &MorphArray,
             nb::arg("labels").noconvert(),
             nb::arg("result").noconvert(),
             nb::arg("operation"),
             nb::arg("radius"),
             nb::arg("slice_axis").none(),
             nb::arg("geometry"),
             nb::arg("threads"),
             nb::arg("progress").none());
}

} // namespace brickccl::python
