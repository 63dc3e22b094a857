// SPDX-License-Identifier: Apache-2.0
#include "Rules.h"

#include "BrickCCL/Core/ImageConnectivity.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

namespace brickccl::python
{

namespace
{

/** "raster" or "size". \throws InvalidArgument */
LabelOrder
OrderFromName(const std::string & name)
{
  if (name != "raster" && name != "size")
  {
    throw InvalidArgument("the order '" + name + "' is unknown; choose raster or size");
  }
  return name == "size" ? LabelOrder::Size : LabelOrder::Raster;
}

/** From the arguments of `brickccl.label`; None where there is no background, range or tolerance. */
Criterion
MakeCriterion(const std::string & joining, nb::handle background, nb::handle low, nb::handle high, nb::handle tolerance)
{
  Criterion criterion;
  if (joining == "foreground")
  {
    criterion.joining = Criterion::Joining::Foreground;
  }
  else if (joining == "equal-value")
  {
    criterion.joining = Criterion::Joining::EqualValue;
  }
  else if (joining == "tolerance")
  {
    criterion.joining = Criterion::Joining::Tolerance;
    if (tolerance.is_none())
    {
      throw InvalidArgument("the criterion 'tolerance' needs a tolerance");
    }
    criterion.tolerance = NumberOf(tolerance, "tolerance");
  }
  else
  {
    throw InvalidArgument("the criterion '" + joining + "' is unknown; choose foreground, equal-value or tolerance");
  }
  criterion.background =
    background.is_none() ? std::nullopt : std::optional<Number>(NumberOf(background, "background"));
  if (!low.is_none())
  {
    criterion.range = Criterion::Range{ NumberOf(low, "the start of range"), NumberOf(high, "the end of range") };
  }
  criterion.Validate();
  return criterion;
}

/** Axes are 0 (x) .. 3 (t). */
Rules
MakeRules(const std::string &          criterion,
          nb::handle                   background,
          nb::handle                   low,
          nb::handle                   high,
          nb::handle                   tolerance,
          std::optional<int>           connectivity,
          const std::vector<int> &     sliceAxes,
          const std::vector<int> &     neighborhood,
          const std::vector<int> &     periodic,
          const std::string &          order,
          std::uint64_t                minimumSize,
          std::optional<std::uint64_t> maximumSize,
          double                       minimumVolume,
          std::uint64_t                largest,
          const std::string &          algorithm,
          const std::string &          device,
          int                          threads)
{
  Rules          rules;
  LabelOptions & options = rules.options;
  options.criterion = MakeCriterion(criterion, background, low, high, tolerance);
  for (const int axis : periodic)
  {
    options.periodic.Add(axis);
  }
  options.relabel.order = OrderFromName(order);
  options.relabel.minimumSize = minimumSize;
  options.relabel.maximumSize = maximumSize.value_or(options.relabel.maximumSize);
  options.relabel.largest = largest;
  options.minimumVolume = minimumVolume;
  options.algorithm = algorithm;
  options.device = Device::FromName(device);
  options.threads = threads;
  rules.connectivity = connectivity;
  rules.neighborhood = neighborhood;
  rules.sliceAxes = sliceAxes;
  return rules;
}

} // namespace

Connectivity
MakeConnectivity(std::optional<int> connectivity, int dimension, const std::vector<int> & sliceAxes)
{
  const int within = dimension - static_cast<int>(sliceAxes.size());
  if (within < 1)
  {
    throw InvalidArgument("an image of " + std::to_string(dimension) + " dimensions has no slices across " +
                          std::to_string(sliceAxes.size()) + " axes");
  }
  const int    asked = connectivity.value_or(1);
  Connectivity chosen =
    asked >= 1 && asked <= within ? Connectivity(within, asked) : Connectivity::FromNeighborCount(asked, within);
  for (const int axis : sliceAxes)
  {
    chosen = chosen.WithinSlices(axis);
  }
  return chosen;
}

int
ThreadsFor(const Extent & extent, int threads)
{
  // Fewer voxels are labeled sooner than another thread is woken.
  constexpr std::int64_t voxelsOfOneThread = std::int64_t{ 1 } << 17;
  return threads == 0 && extent.VoxelCount() < voxelsOfOneThread ? 1 : threads;
}

Connectivity
Rules::ConnectivityFor(int dimension) const
{
  return neighborhood.empty()
         ? MakeConnectivity(connectivity, dimension, sliceAxes)
         : Connectivity::FromStructuringElement(dimension, { neighborhood.begin(), neighborhood.end() });
}

LabelOptions
Rules::For(const Extent & extent, const std::optional<InputArray> & mask, const Geometry & geometry) const
{
  LabelOptions own = options;
  own.mask = ViewOf(mask);
  own.connectivity = ConnectivityFor(extent.dimension);
  own.geometry = geometry;
  own.threads = ThreadsFor(extent, options.threads);
  return own;
}

namespace
{

/** The structuring element of "8+z" and the like, x fastest. */
std::vector<int>
ElementOf(const std::string & text, int dimension)
{
  std::vector<int> element(static_cast<std::size_t>(std::pow(3, dimension)), 0);
  for (const NeighborOffset & offset : NeighborhoodFromText(text, dimension).Offsets())
  {
    std::size_t place = 0;
    for (int axis = dimension - 1; axis >= 0; --axis)
    {
      place = 3 * place + static_cast<std::size_t>(offset[static_cast<std::size_t>(axis)] + 1);
    }
    element[place] = 1;
  }
  return element;
}

} // namespace

void
BindRules(nb::module_ & module)
{
  module.def("neighborhood_of",
             &ElementOf,
             nb::arg("text"),
             nb::arg("dimension"),
             "The structuring element of a text such as 8+z, x fastest.");
  nb::class_<Rules>(module, "Rules", "Joining, filtering and the device; axes are 0 (x) .. 3 (t).")
    .def_static("make",
                &MakeRules,
                nb::kw_only(),
                nb::arg("criterion") = "foreground",
                nb::arg("background").none() = 0,
                nb::arg("low").none() = nb::none(),
                nb::arg("high").none() = nb::none(),
                nb::arg("tolerance").none() = nb::none(),
                nb::arg("connectivity").none() = nb::none(),
                nb::arg("slice_axes") = std::vector<int>(),
                nb::arg("neighborhood") = std::vector<int>(),
                nb::arg("periodic") = std::vector<int>(),
                nb::arg("order") = "raster",
                nb::arg("minimum_size") = 0,
                nb::arg("maximum_size").none() = nb::none(),
                nb::arg("minimum_volume") = 0.0,
                nb::arg("largest") = 0,
                nb::arg("algorithm") = "Auto",
                nb::arg("device") = "auto",
                nb::arg("threads") = 0)
    .def_prop_ro(
      "keeps_all",
      [](const Rules & rules) { return rules.options.relabel.KeepEverything() && !(rules.options.minimumVolume > 0); },
      "Whether all components are kept, in raster order.");
}

} // namespace brickccl::python
