#include "Rules.h"

namespace brickccl::python
{

LabelOrder
OrderFromName(const std::string & name)
{
  if (name != "raster" && name != "size")
  {
    throw InvalidArgument("the order '" + name + "' is unknown; choose raster or size");
  }
  return name == "size" ? LabelOrder::Size : LabelOrder::Raster;
}

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
    asked >= 1 && asked <= within ? Connectivity(within, asked) : Connectivity::FromNeighbourCount(asked, within);
  for (const int axis : sliceAxes)
  {
    chosen = chosen.WithinSlices(axis);
  }
  return chosen;
}

Connectivity
MakeConnectivity(std::optional<int>       connectivity,
                 const std::vector<int> & neighbourhood,
                 int                      dimension,
                 const std::vector<int> & sliceAxes)
{
  return neighbourhood.empty()
         ? MakeConnectivity(connectivity, dimension, sliceAxes)
         : Connectivity::FromStructuringElement(dimension, { neighbourhood.begin(), neighbourhood.end() });
}

PeriodicAxes
MakePeriodic(const std::vector<int> & axes)
{
  PeriodicAxes periodic;
  for (const int axis : axes)
  {
    periodic.Add(axis);
  }
  return periodic;
}

Criterion
MakeCriterion(const std::string & joining, nb::handle background, nb::handle low, nb::handle high, nb::handle tolerance)
{
  Criterion criterion;
  if (joining == "foreground")
  {
    criterion.joining = Criterion::Joining::Foreground;
  }
  else if (joining == "equal")
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
    criterion.tolerance = NumberOf(tolerance);
  }
  else
  {
    throw InvalidArgument("the criterion '" + joining + "' is unknown; choose foreground, equal or tolerance");
  }
  criterion.background = background.is_none() ? std::nullopt : std::optional<Number>(NumberOf(background));
  if (!low.is_none())
  {
    criterion.range = Criterion::Range{ NumberOf(low), NumberOf(high) };
  }
  criterion.Validate();
  return criterion;
}

void
SetLimits(const std::string &          order,
          std::uint64_t                minimumSize,
          std::optional<std::uint64_t> maximumSize,
          double                       minimumVolume,
          std::uint64_t                largest,
          LabelOptions &               options)
{
  options.relabel.order = OrderFromName(order);
  options.relabel.minimumSize = minimumSize;
  options.relabel.maximumSize = maximumSize.value_or(options.relabel.maximumSize);
  options.relabel.largest = largest;
  options.minimumVolume = minimumVolume;
}

int
ThreadsFor(const Extent & extent, int threads)
{
  // Fewer voxels are labeled sooner than another thread is woken.
  constexpr std::int64_t voxelsOfOneThread = std::int64_t{ 1 } << 17;
  return threads == 0 && extent.VoxelCount() < voxelsOfOneThread ? 1 : threads;
}

} // namespace brickccl::python
