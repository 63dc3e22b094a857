#include "DeviceLabels.h"

#include "Rules.h"
#include "Table.h"

#ifdef BRICKCCL_PYTHON_USE_CUDA
#  include "BrickCCL/Dispatch/CudaLabeler.h"
#  include "BrickCCL/Labels/Relabel.h"
#  include "BrickCCL/Labels/VolumeLimits.h"
#  include "BrickCCL/Tables/RowSums.h"
#endif

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace brickccl::python
{

namespace
{

/** An array in memory of a device, in C order: its address, the name of its type, its shape. */
using DeviceArray = std::tuple<std::uintptr_t, std::string, std::vector<std::int64_t>>;

#ifdef BRICKCCL_PYTHON_USE_CUDA

ScalarType
TypeFromName(const std::string & name)
{
  for (int type = static_cast<int>(ScalarType::Int8); type <= static_cast<int>(ScalarType::Float64); ++type)
  {
    if (name == NameOf(static_cast<ScalarType>(type)))
    {
      return static_cast<ScalarType>(type);
    }
  }
  throw Unsupported("an array of type " + name +
                    " cannot be read on a device; it must be of bool, integers, float32 or float64");
}

ImageView
ViewOf(const DeviceArray & array)
{
  const auto & [address, type, shape] = array;
  if (shape.empty() || shape.size() > MaximumDimension)
  {
    throw InvalidArgument("the array has " + std::to_string(shape.size()) + " dimensions; it must have 1 to " +
                          std::to_string(MaximumDimension));
  }
  std::int64_t sizes[MaximumDimension] = { 1, 1, 1, 1 };
  std::copy(shape.rbegin(), shape.rend(), sizes);
  return { reinterpret_cast<const void *>(address),
           TypeFromName(type),
           Extent(static_cast<int>(shape.size()), sizes),
           1 };
}

/** Keeps the memory of a device between calls. Its calls must be of one stream, one after another. */
class DeviceLabels
{
public:
  explicit DeviceLabels(int device)
    : m_Labeler(device)
  {}

  std::uint64_t
  Label(const DeviceArray &                image,
        const std::optional<DeviceArray> & mask,
        std::uintptr_t                     labels,
        const std::string &                labelType,
        const std::string &                criterion,
        nb::handle                         background,
        nb::handle                         low,
        nb::handle                         high,
        nb::handle                         tolerance,
        std::optional<int>                 connectivity,
        const std::vector<int> &           sliceAxes,
        const std::string &                algorithm,
        std::uintptr_t                     stream)
  {
    const ImageView                view = ViewOf(image);
    const std::optional<ImageView> maskView = mask ? std::optional<ImageView>(ViewOf(*mask)) : std::nullopt;
    const Criterion                rule = MakeCriterion(criterion, background, low, high, tolerance);
    const Connectivity             neighbours = MakeConnectivity(connectivity, view.extent.dimension, sliceAxes);
    const LabelType                type = LabelTypeFromName(labelType);
    m_Table.reset();
    const nb::gil_scoped_release unlocked;
    return m_Labeler.LabelOnDevice(algorithm,
                                   view,
                                   rule,
                                   maskView,
                                   neighbours,
                                   reinterpret_cast<void *>(labels),
                                   type,
                                   reinterpret_cast<void *>(stream));
  }

  /** Fetches the sizes of the components that were labeled last and gives them numbers. \return by label the number, 0
   *  for what goes */
  nb::object
  Number(const std::string &          order,
         std::uint64_t                minimumSize,
         std::optional<std::uint64_t> maximumSize,
         double                       minimumVolume,
         std::uint64_t                largest,
         const Geometry &             geometry,
         std::uintptr_t               stream)
  {
    RelabelOptions options;
    options.order = OrderFromName(order);
    options.maximumSize = maximumSize.value_or(options.maximumSize);
    options.largest = largest;
    Fetch(geometry, stream);
    const double voxel = geometry.VoxelVolume(m_Table->extent.dimension);
    options.minimumSize = std::max(minimumSize, FewestVoxelsOfVolume(minimumVolume, voxel));
    ComponentRows & rows = m_Table->components;
    auto [numbers, kept] = NumberComponents<std::uint64_t>(
      rows.size(),
      [&](std::size_t component) { return rows.VoxelCount(component); },
      options);
    // What comes from a device has sums of this form.
    const auto                            sums = TakeSums<CompactShapeSums>(rows);
    UninitializedVector<CompactShapeSums> keptSums(static_cast<std::size_t>(kept));
    for (std::size_t component = 0; component < sums.size(); ++component)
    {
      if (const std::uint64_t number = numbers[component + 1]; number != 0)
      {
        keptSums[static_cast<std::size_t>(number - 1)] = sums[component];
      }
    }
    rows = MakeRows(m_Table->extent, geometry, std::move(keptSums));
    return nb::cast(ArrayOf(std::move(numbers)));
  }

  /** Of the components that were labeled last, as they are numbered. */
  ComponentTable
  Table(const Geometry & geometry, std::uintptr_t stream)
  {
    if (!m_Table)
    {
      Fetch(geometry, stream);
    }
    return *m_Table;
  }

  std::size_t
  ScratchBytes() const
  {
    return m_Labeler.ScratchBytes();
  }

private:
  void
  Fetch(const Geometry & geometry, std::uintptr_t stream)
  {
    const nb::gil_scoped_release unlocked;
    m_Table = m_Labeler.FetchTable(geometry, reinterpret_cast<void *>(stream));
  }

  CudaLabeler                   m_Labeler;
  std::optional<ComponentTable> m_Table;
};

#else

/** Says that there is no CUDA in this build. */
class DeviceLabels
{
public:
  explicit DeviceLabels(int)
  {
    throw Unsupported(
      "this brickccl was built without CUDA, so it labels no arrays on GPUs; copy the array to the host, "
      "or build the package with -Ccmake.define.BRICKCCL_PYTHON_CUDA=ON");
  }

  std::uint64_t
  Label(const DeviceArray &,
        const std::optional<DeviceArray> &,
        std::uintptr_t,
        const std::string &,
        const std::string &,
        nb::handle,
        nb::handle,
        nb::handle,
        nb::handle,
        std::optional<int>,
        const std::vector<int> &,
        const std::string &,
        std::uintptr_t)
  {
    return 0;
  }

  nb::object
  Number(const std::string &,
         std::uint64_t,
         std::optional<std::uint64_t>,
         double,
         std::uint64_t,
         const Geometry &,
         std::uintptr_t)
  {
    return nb::none();
  }

  ComponentTable
  Table(const Geometry &, std::uintptr_t)
  {
    return {};
  }

  std::size_t
  ScratchBytes() const
  {
    return 0;
  }
};

#endif

} // namespace

void
BindDeviceLabels(nb::module_ & module)
{
  nb::class_<DeviceLabels>(module, "DeviceLabels", "Labels arrays on one CUDA device, on one stream.")
    .def(nb::init<int>(), nb::arg("device"))
    .def("label",
         &DeviceLabels::Label,
         nb::arg("image"),
         nb::arg("mask").none(),
         nb::arg("labels"),
         nb::arg("label_type"),
         nb::arg("criterion"),
         nb::arg("background").none(),
         nb::arg("low").none(),
         nb::arg("high").none(),
         nb::arg("tolerance").none(),
         nb::arg("connectivity").none(),
         nb::arg("slice_axes"),
         nb::arg("algorithm"),
         nb::arg("stream"))
    .def("number",
         &DeviceLabels::Number,
         nb::arg("order"),
         nb::arg("minimum_size"),
         nb::arg("maximum_size").none(),
         nb::arg("minimum_volume"),
         nb::arg("largest"),
         nb::arg("geometry"),
         nb::arg("stream"),
         nb::sig("def number(self, order: str, minimum_size: int, maximum_size: int | None, minimum_volume: float, "
                 "largest: int, geometry: Geometry, stream: int) -> numpy.typing.NDArray[numpy.uint64]"))
    .def("table", &DeviceLabels::Table, nb::arg("geometry"), nb::arg("stream"))
    .def_prop_ro("scratch_bytes", &DeviceLabels::ScratchBytes);
}

} // namespace brickccl::python
