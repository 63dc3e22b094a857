#include "BrickCCL/Components/AccumulateRuns.h"
#include "BrickCCL/Components/MeasureGroups.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** The intensities under a component. */
template <typename T>
struct IntensitiesOf
{
  static constexpr bool IsExact = IntensitySums::HasSquares<T>;

  std::uint64_t voxels = 0;
  IntensitySums sums = IntensitySums::Of<T>();

  void
  AddRun(const T * values, std::int64_t length)
  {
    Add(IntensitySums::OfRun(values, length), static_cast<std::uint64_t>(length));
  }

  void
  Merge(const IntensitiesOf & other)
  {
    Add(other.sums, other.voxels);
  }

private:
  void
  Add(const IntensitySums & others, std::uint64_t otherVoxels)
  {
    sums.Merge(voxels, others, otherVoxels);
    voxels += otherVoxels;
  }
};

template <typename T>
void
MeasureTypedIntensities(const RunVolume &   volume,
                        const T *           intensities,
                        const HostContext & context,
                        ComponentTable &    table)
{
  const auto sums = AccumulateRuns<IntensitiesOf<T>>(
    volume,
    table.components.size(),
    context,
    [intensities, length = volume.GetExtent().RowLength()](IntensitiesOf<T> & component,
                                                           std::int64_t       row,
                                                           const RowPosition &,
                                                           std::int64_t begin,
                                                           std::int64_t end) {
      component.AddRun(intensities + row * length + begin, end - begin);
    });
  std::vector<IntensityMeasures> measures(sums.size());
  table.intensitySums.resize(sums.size());
  ForComponents(sums.size(), context, [&](std::size_t c) {
    table.intensitySums[c] = sums[c].sums;
    measures[c] = sums[c].sums.Measures(sums[c].voxels);
  });
  table.components.SetIntensities(std::move(measures));
}

} // namespace

void
MeasureIntensities(const RunVolume &   volume,
                   const ImageView &   intensity,
                   const HostContext & context,
                   ComponentTable &    table)
{
  VisitScalarType(intensity.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    MeasureTypedIntensities(volume, static_cast<const T *>(intensity.data), context, table);
  });
}

} // namespace brickccl
