// SPDX-License-Identifier: Apache-2.0
#include "Splitting.h"

#include "Arrays.h"
#include "Hooks.h"
#include "Rules.h"

#include "BrickCCL/Splitting/Morph.h"
#include "BrickCCL/Splitting/Split.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
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

template <typename T>
using Values = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/** \return the parent and the peak of each object */
std::pair<Values<std::uint64_t>, Values<double>>
SplitArray(const InputArray &                labels,
           const OutputArray &               objects,
           const Rules &                     rules,
           std::optional<double>             height,
           const std::optional<InputArray> & values,
           const std::optional<InputArray> & seeds,
           const Geometry &                  geometry,
           nb::object                        progress)
{
  const ImageView view = ViewOf(labels);
  CheckResult(objects, view.extent, ScalarType::UInt32);
  SplitOptions options;
  options.connectivity = rules.ConnectivityFor(view.extent.dimension);
  options.height = height;
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

} // namespace

void
BindSplitting(nb::module_ & module)
{
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
