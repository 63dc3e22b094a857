// SPDX-License-Identifier: Apache-2.0
#include "Arrays.h"
#include "Hooks.h"

#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Segments.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::python
{

namespace
{

/** Text of the library, in which there may be names of files: those need not be UTF-8. */
nb::object
TextOf(const std::string & text)
{
  const auto result = nb::steal(PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  if (!result.is_valid())
  {
    throw nb::python_error();
  }
  return result;
}

nb::list
TextsOf(const std::vector<std::string> & texts)
{
  nb::list result;
  for (const std::string & text : texts)
  {
    result.append(TextOf(text));
  }
  return result;
}

[[noreturn]] void
Raise(PyObject * kind, const std::exception & error)
{
  PyErr_SetObject(kind, TextOf(error.what()).ptr());
  throw nb::python_error();
}

/** Calls `function`. A file that is wrong gives a ValueError or `kind`, one of Python's errors. */
template <typename TFunction>
auto
Translated(PyObject * kind, TFunction function)
{
  try
  {
    return function();
  }
  catch (const files::OutOfMemory & error)
  {
    Raise(PyExc_MemoryError, error);
  }
  catch (const InvalidArgument & error)
  {
    Raise(PyExc_ValueError, error);
  }
  catch (const Unsupported & error)
  {
    Raise(PyExc_ValueError, error);
  }
  catch (const Error & error)
  {
    Raise(kind, error);
  }
}

void
CheckChannels(const LoadedImage & image)
{
  if (image.channels != 1)
  {
    throw InvalidArgument("it has " + std::to_string(image.channels) + " values in each voxel; it must have 1");
  }
}

/** Voxels in a mapped file would change with it. */
void
CopyShared(const HostContext & context, LoadedImage & image)
{
  if (!image.voxels.IsShared())
  {
    return;
  }
  const std::size_t bytes = image.voxels.Size();
  VoxelMemory       own;
  std::byte * const output = own.Resize(bytes);
  const Chunks      chunks(static_cast<std::int64_t>(bytes), std::int64_t{ 1 } << 20, 1024);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    const std::int64_t begin = chunks.Begin(chunk);
    std::memcpy(output + begin, image.voxels.Data() + begin, static_cast<std::size_t>(chunks.End(chunk) - begin));
  });
  image.voxels = std::move(own);
}

LoadedImage
Read(const nb::bytes &           path,
     bool                        acceptIrregularSlices,
     bool                        acceptSheared,
     const nb::bytes &           series,
     const std::vector<double> & spacing,
     const std::string &         raw,
     bool                        asLabels,
     int                         threads,
     nb::object                  progress)
{
  const std::string name(path.c_str(), path.size());
  ReadOptions       options;
  options.acceptIrregularSlices = acceptIrregularSlices;
  options.acceptSheared = acceptSheared;
  options.series = std::string(series.c_str(), series.size());
  options.spacing = spacing;
  options.raw = raw;
  options.asLabels = asLabels;
  options.threads = threads;
  options.onHeader = CheckChannels;
  return Translated(PyExc_ValueError, [&] {
    return WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
      constexpr double copied = 0.1;
      options.progress = Progress(hooks, 0, 1 - copied);
      LoadedImage image = ReadImageFile(name, options);
      CheckChannels(image);
      CopyShared({ threads, Progress(hooks, 1 - copied, 1) }, image);
      return image;
    });
  });
}

nb::list
Write(const nb::bytes &           path,
      const InputArray &          array,
      const std::vector<double> & spacing,
      const std::vector<double> & origin,
      const std::vector<double> & direction,
      std::uint64_t               largestLabel,
      int                         threads,
      nb::object                  progress)
{
  const std::string name(path.c_str(), path.size());
  const ImageView   view = ViewOf(array);
  const auto        dimension = static_cast<std::size_t>(view.extent.dimension);
  Geometry          geometry;
  std::copy_n(spacing.begin(), std::min(spacing.size(), dimension), geometry.spacing);
  std::copy_n(origin.begin(), std::min(origin.size(), dimension), geometry.origin);
  for (std::size_t place = 0; place < std::min(direction.size(), dimension * dimension); ++place)
  {
    geometry.direction[place / dimension][place % dimension] = direction[place];
  }
  ImageToWrite image = ImageToWrite::FromMemory(array.data(), view.type, view.extent, geometry);
  image.largestLabel = largestLabel;
  return Translated(PyExc_OSError, [&] {
    return TextsOf(WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
      WriteOptions options;
      options.context = { threads, Progress(hooks) };
      return WriteImageFile(name, image, options);
    }));
  });
}

nb::dlpack::dtype
TypeOf(ScalarType type)
{
  return VisitScalarType(type, [](auto tag) { return nb::dtype<typename decltype(tag)::Type>(); });
}

/** Voxels of an image that lives as long as they do. */
nb::ndarray<nb::numpy>
VoxelsOf(nb::handle self)
{
  const auto &             image = nb::cast<const LoadedImage &>(self);
  const auto               dimension = static_cast<std::size_t>(image.extent.dimension);
  std::vector<std::size_t> shape(dimension);
  for (std::size_t axis = 0; axis < dimension; ++axis)
  {
    shape[dimension - 1 - axis] = static_cast<std::size_t>(image.extent.size[axis]);
  }
  void * const voxels = const_cast<std::byte *>(image.voxels.Data());
  return { voxels, dimension, shape.data(), self, nullptr, TypeOf(image.type) };
}

std::vector<double>
FirstOf(const double * values, int count)
{
  return { values, values + count };
}

std::vector<double>
DirectionOf(const LoadedImage & image)
{
  std::vector<double> values;
  for (int row = 0; row < image.extent.dimension; ++row)
  {
    values.insert(values.end(), image.geometry.direction[row], image.geometry.direction[row] + image.extent.dimension);
  }
  return values;
}

/** The label, name and color of each segment; a color that is not known is empty. */
nb::list
SegmentsOf(const LoadedImage & image)
{
  nb::list result;
  for (const Segment & segment : image.segmentation.segments)
  {
    std::vector<double> color;
    for (const auto & [key, value] : segment.fields)
    {
      color = key == "Color" ? files::RealNumbers(value, key) : color;
    }
    result.append(nb::make_tuple(segment.label, TextOf(NameOf(segment)), color));
  }
  return result;
}

} // namespace

} // namespace brickccl::python

NB_MODULE(_files, module)
{
  using namespace brickccl;
  using namespace brickccl::python;
  // napari keeps arrays until Python ends.
  nb::set_leak_warnings(false);
  module.doc() = "The readers and writers of image files of the brickccl command.";
  nb::class_<LoadedImage>(module, "LoadedImage")
    .def_prop_ro("array", &VoxelsOf, nb::for_getter(nb::sig("def array(self) -> numpy.typing.NDArray[typing.Any]")))
    .def_prop_ro("spacing",
                 [](const LoadedImage & image) { return FirstOf(image.geometry.spacing, image.extent.dimension); })
    .def_prop_ro("origin",
                 [](const LoadedImage & image) { return FirstOf(image.geometry.origin, image.extent.dimension); })
    .def_prop_ro("direction", &DirectionOf)
    .def_prop_ro("has_spacing", [](const LoadedImage & image) { return image.spacingSource != "none"; })
    .def_prop_ro("segments",
                 &SegmentsOf,
                 nb::for_getter(nb::sig("def segments(self) -> list[tuple[int, str, list[float]]]")))
    .def_prop_ro(
      "notes",
      [](const LoadedImage & image) { return TextsOf(image.notes); },
      nb::for_getter(nb::sig("def notes(self) -> list[str]")));
  module.def(
    "read",
    &Read,
    nb::arg("path"),
    nb::arg("accept_irregular_slices"),
    nb::arg("accept_sheared"),
    nb::arg("series"),
    nb::arg("spacing"),
    nb::arg("raw"),
    nb::arg("as_labels"),
    nb::arg("threads"),
    nb::arg("progress").none(),
    nb::sig("def read(path: bytes, accept_irregular_slices: bool, accept_sheared: bool, series: bytes, spacing: "
            "collections.abc.Sequence[float], raw: str, as_labels: bool, threads: int, progress: object | None) "
            "-> LoadedImage"));
  module.def(
    "write",
    &Write,
    nb::arg("path"),
    nb::arg("array").noconvert(),
    nb::arg("spacing"),
    nb::arg("origin"),
    nb::arg("direction"),
    nb::arg("largest_label"),
    nb::arg("threads"),
    nb::arg("progress").none(),
    nb::sig("def write(path: bytes, array: numpy.typing.NDArray[typing.Any], spacing: collections.abc.Sequence[float], "
            "origin: collections.abc.Sequence[float], direction: collections.abc.Sequence[float], largest_label: int, "
            "threads: int, progress: object | None) -> list[str]"));
  module.def("readable", [] { return ReadableFormats(); });
  module.def("writable", [] { return WritableFormats(); });
}
