// SPDX-License-Identifier: Apache-2.0
#include "DeviceLabels.h"

#include "Rules.h"
#include "Table.h"

#ifdef BRICKCCL_PYTHON_USE_CUDA
#  include "BrickCCL/Dispatch/CudaLabeler.h"
#endif
#include "BrickCCL/Labels/VolumeLimits.h"

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

#ifndef BRICKCCL_PYTHON_USE_CUDA

[[noreturn]] void
RefuseDevices()
{
  throw Unsupported("this brickccl was built without CUDA and cannot label arrays on GPUs; copy the array to the host, "
                    "or build the package with -Ccmake.define.BRICKCCL_PYTHON_CUDA=ON");
}

/** Stands for the library's in a build without CUDA: there is no object of it. */
class CudaLabeler
{
public:
  explicit CudaLabeler(int)
  {
    RefuseDevices();
  }

  template <typename... TArguments>
  std::uint64_t
  LabelOnDevice(TArguments &&...)
  {
    return 0;
  }

  std::uint64_t
  RelabelOnDevice(const RelabelOptions &, void *, LabelType, void *)
  {
    return 0;
  }

  std::uint64_t
  KeepOnDevice(const unsigned char *, void *, LabelType, void *)
  {
    return 0;
  }

  void
  WriteOnDevice(void *, LabelType, void *)
  {}

  void
  SizesOnDevice(std::uint64_t *, void *)
  {}

  std::uint64_t
  OffsetsOnDevice(std::int64_t *, void *)
  {
    return 0;
  }

  void
  ListOnDevice(std::int64_t *, void *)
  {}

  ComponentTable
  FetchTable(const Geometry &, void *)
  {
    return {};
  }

  std::string
  LastAlgorithm() const
  {
    return {};
  }

  std::size_t
  ScratchBytes() const
  {
    return 0;
  }
};

struct DeviceSlab
{
  int                      device = 0;
  ImageView                image;
  std::optional<ImageView> mask;
  void *                   stream = nullptr;
};

/** The same for slabs. */
class CudaSlabLabeler
{
public:
  CudaSlabLabeler()
  {
    RefuseDevices();
  }

  std::uint64_t
  Label(const std::string &,
        const std::vector<DeviceSlab> &,
        const Criterion &,
        const Connectivity &,
        const std::vector<void *> &,
        LabelType)
  {
    return 0;
  }

  void
  Write(const std::vector<void *> &, LabelType)
  {}
};

#endif

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
                    " is not supported on a device; it must be bool, integer, float32 or float64");
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
        const Rules &                      rules,
        std::uintptr_t                     stream)
  {
    const ImageView                view = ViewOf(image);
    const std::optional<ImageView> maskView = mask ? std::optional<ImageView>(ViewOf(*mask)) : std::nullopt;
    const Connectivity             neighbors = rules.ConnectivityFor(view.extent.dimension);
    const LabelType                type = LabelTypeFromName(labelType);
    m_Dimension = view.extent.dimension;
    const nb::gil_scoped_release unlocked;
    return m_Labeler.LabelOnDevice(rules.options.algorithm,
                                   view,
                                   rules.options.criterion,
                                   maskView,
                                   neighbors,
                                   Pointer(labels),
                                   type,
                                   Pointer(stream));
  }

  /** Drops components, and gives those that stay other numbers. `labels` is 0 if no map is wanted, as everywhere. */
  std::uint64_t
  Relabel(const Rules &       rules,
          const Geometry &    geometry,
          std::uintptr_t      labels,
          const std::string & labelType,
          std::uintptr_t      stream)
  {
    RelabelOptions options = rules.options.relabel;
    options.minimumSize =
      std::max(options.minimumSize,
               FewestVoxelsOfVolume(rules.options.minimumVolume, geometry.VoxelVolume(m_Dimension)));
    const LabelType              type = LabelTypeFromName(labelType);
    const nb::gil_scoped_release unlocked;
    return m_Labeler.RelabelOnDevice(options, Pointer(labels), type, Pointer(stream));
  }

  /** `keeps` has a byte for each component, on the device. */
  std::uint64_t
  Keep(std::uintptr_t keeps, std::uintptr_t stream)
  {
    const nb::gil_scoped_release unlocked;
    return m_Labeler.KeepOnDevice(static_cast<const unsigned char *>(Pointer(keeps)),
                                  nullptr,
                                  LabelType::UInt32,
                                  Pointer(stream));
  }

  void
  Write(std::uintptr_t labels, const std::string & labelType, std::uintptr_t stream)
  {
    m_Labeler.WriteOnDevice(Pointer(labels), LabelTypeFromName(labelType), Pointer(stream));
  }

  void
  Sizes(std::uintptr_t sizes, std::uintptr_t stream)
  {
    m_Labeler.SizesOnDevice(static_cast<std::uint64_t *>(Pointer(sizes)), Pointer(stream));
  }

  /** \return the number of voxels of all components */
  std::uint64_t
  Offsets(std::uintptr_t offsets, std::uintptr_t stream)
  {
    const nb::gil_scoped_release unlocked;
    return m_Labeler.OffsetsOnDevice(static_cast<std::int64_t *>(Pointer(offsets)), Pointer(stream));
  }

  void
  Voxels(std::uintptr_t voxels, std::uintptr_t stream)
  {
    const nb::gil_scoped_release unlocked;
    m_Labeler.ListOnDevice(static_cast<std::int64_t *>(Pointer(voxels)), Pointer(stream));
  }

  /** In the components' present order. */
  ComponentTable
  Table(const Geometry & geometry, std::uintptr_t stream)
  {
    const nb::gil_scoped_release unlocked;
    return m_Labeler.FetchTable(geometry, Pointer(stream));
  }

  std::string
  Algorithm() const
  {
    return m_Labeler.LastAlgorithm();
  }

  std::size_t
  ScratchBytes() const
  {
    return m_Labeler.ScratchBytes();
  }

private:
  static void *
  Pointer(std::uintptr_t address)
  {
    return reinterpret_cast<void *>(address);
  }

  CudaLabeler m_Labeler;
  int         m_Dimension = 0;
};

/** Slabs of a volume, each on its device. It keeps the memory of devices between calls. */
class SlabLabels
{
public:
  /** Every slab has its device, its stream and, if there are masks, its mask. */
  std::uint64_t
  Label(const std::vector<DeviceArray> &    images,
        const std::vector<DeviceArray> &    masks,
        const std::vector<int> &            devices,
        const std::vector<std::uintptr_t> & streams,
        const Rules &                       rules)
  {
    std::vector<DeviceSlab> slabs;
    for (std::size_t i = 0; i < images.size(); ++i)
    {
      DeviceSlab slab;
      slab.device = devices.at(i);
      slab.image = ViewOf(images[i]);
      slab.mask = masks.empty() ? std::nullopt : std::optional<ImageView>(ViewOf(masks.at(i)));
      slab.stream = reinterpret_cast<void *>(streams.at(i));
      slabs.push_back(slab);
    }
    const Connectivity           neighbors = rules.ConnectivityFor(slabs.at(0).image.extent.dimension);
    const nb::gil_scoped_release unlocked;
    return m_Labeler.Label(rules.options.algorithm, slabs, rules.options.criterion, neighbors, {}, LabelType::UInt32);
  }

  void
  Write(const std::vector<std::uintptr_t> & labels, const std::string & labelType)
  {
    const LabelType     type = LabelTypeFromName(labelType);
    std::vector<void *> maps;
    for (const std::uintptr_t address : labels)
    {
      maps.push_back(reinterpret_cast<void *>(address));
    }
    const nb::gil_scoped_release unlocked;
    m_Labeler.Write(maps, type);
  }

private:
  CudaSlabLabeler m_Labeler;
};

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
         nb::arg("rules"),
         nb::arg("stream"))
    .def("relabel",
         &DeviceLabels::Relabel,
         nb::arg("rules"),
         nb::arg("geometry"),
         nb::arg("labels"),
         nb::arg("label_type"),
         nb::arg("stream"))
    .def("keep", &DeviceLabels::Keep, nb::arg("keeps"), nb::arg("stream"))
    .def("write", &DeviceLabels::Write, nb::arg("labels"), nb::arg("label_type"), nb::arg("stream"))
    .def("sizes", &DeviceLabels::Sizes, nb::arg("sizes"), nb::arg("stream"))
    .def("offsets", &DeviceLabels::Offsets, nb::arg("offsets"), nb::arg("stream"))
    .def("voxels", &DeviceLabels::Voxels, nb::arg("voxels"), nb::arg("stream"))
    .def_prop_ro("algorithm", &DeviceLabels::Algorithm)
    .def("table", &DeviceLabels::Table, nb::arg("geometry"), nb::arg("stream"))
    .def_prop_ro("scratch_bytes", &DeviceLabels::ScratchBytes);
  nb::class_<SlabLabels>(module, "SlabLabels", "Labels a volume on CUDA devices by slabs.")
    .def(nb::init<>())
    .def("label",
         &SlabLabels::Label,
         nb::arg("images"),
         nb::arg("masks"),
         nb::arg("devices"),
         nb::arg("streams"),
         nb::arg("rules"))
    .def("write", &SlabLabels::Write, nb::arg("labels"), nb::arg("label_type"));
}

} // namespace brickccl::python
