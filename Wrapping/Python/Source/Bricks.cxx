// SPDX-License-Identifier: Apache-2.0
#include "Bricks.h"

#include "Hooks.h"
#include "Rules.h"
#include "Table.h"

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::python
{

namespace
{

BytesView
ViewOfBytes(const nb::bytes & bytes)
{
  return { static_cast<const std::uint8_t *>(bytes.data()), bytes.size() };
}

nb::bytes
ToPython(const Bytes & bytes)
{
  return nb::bytes(bytes.data(), bytes.size());
}

/** The sizes of an array's axes, whose last one is x. */
Extent
ExtentOfShape(const std::vector<std::int64_t> & shape)
{
  if (shape.empty() || shape.size() > MaximumDimension)
  {
    throw InvalidArgument("the volume has " + std::to_string(shape.size()) + " dimensions; it must have 1 to " +
                          std::to_string(MaximumDimension));
  }
  const std::vector<std::int64_t> sizes(shape.rbegin(), shape.rend());
  return { static_cast<int>(sizes.size()), sizes.data() };
}

/** The type of an array for labels. */
LabelType
LabelTypeOf(ScalarType type)
{
  switch (type)
  {
  case ScalarType::UInt8:
    return LabelType::UInt8;
  case ScalarType::UInt16:
    return LabelType::UInt16;
  case ScalarType::UInt32:
    return LabelType::UInt32;
  case ScalarType::UInt64:
    return LabelType::UInt64;
  default:
    throw InvalidArgument("labels of bricks must be uint8, uint16, uint32 or uint64");
  }
}

/** Labels the bricks of one volume, one after the other, with the same options and memory. */
class BrickLabeler
{
public:
  BrickLabeler(const std::vector<std::int64_t> & shape,
               const Rules &                     rules,
               const Geometry &                  geometry,
               bool                              measures,
               const std::string &               groups,
               bool                              classes)
    : m_Volume(ExtentOfShape(shape))
    , m_Groups(groups)
    , m_HasClasses(classes)
  {
    m_Options.label = rules.For(m_Volume, std::nullopt, geometry);
    m_Options.label.threads = rules.options.threads;
    m_Options.measures = measures;
  }

  /** \return the record and the runs. */
  nb::tuple
  Label(const InputArray &                image,
        const std::vector<std::int64_t> & begin,
        const std::optional<InputArray> & mask,
        std::optional<InputArray>         intensity,
        nb::object                        progress)
  {
    const ImageView                 view = ViewOf(image);
    const std::vector<std::int64_t> first(begin.rbegin(), begin.rend());
    if (static_cast<int>(first.size()) != m_Volume.dimension)
    {
      throw InvalidArgument("the first voxel of a brick has " + std::to_string(first.size()) +
                            " indices; the volume has " + std::to_string(m_Volume.dimension) + " dimensions");
    }
    const Measures measures{ std::move(intensity), std::nullopt, m_Groups };
    BrickOptions   options = m_Options;
    options.label.mask = ViewOf(mask);
    options.measure = measures.Options();
    if (m_HasClasses)
    {
      options.measure.classes = view;
    }
    const LabeledBrick brick = WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
      options.label.progress = hooks;
      return LabelBrick(view, BrickBox(m_Volume, first.data(), view.extent), options, m_Scratch);
    });
    return nb::make_tuple(ToPython(brick.record), ToPython(brick.runs));
  }

private:
  Extent       m_Volume;
  BrickOptions m_Options;
  std::string  m_Groups;
  bool         m_HasClasses;
  Labeling     m_Scratch;
};

/** \throws Error unless the bytes are whole. \param kind "record", "runs", "map" or "counts" */
void
CheckBytes(const std::string & kind, const nb::bytes & bytes)
{
  const BytesKind wanted = kind == "record" ? BytesKind::Record
                         : kind == "runs"   ? BytesKind::Runs
                         : kind == "map"    ? BytesKind::Map
                                            : BytesKind::Counts;
  Unseal(wanted, ViewOfBytes(bytes));
}

/** \param before  records and maps of the bricks that lie before this one along each axis */
nb::bytes
Count(const nb::bytes &                                    record,
      const nb::bytes &                                    map,
      const nb::bytes &                                    runs,
      const std::vector<std::pair<nb::bytes, nb::bytes>> & before,
      int                                                  threads)
{
  std::vector<MergedBrick> others;
  for (const auto & [otherRecord, otherMap] : before)
  {
    others.push_back({ ViewOfBytes(otherRecord), ViewOfBytes(otherMap) });
  }
  return ToPython(WithoutLock(nb::none(), [&](const ProgressHooks &) {
    return CountBrick({ ViewOfBytes(record), ViewOfBytes(map) }, ViewOfBytes(runs), others, threads);
  }));
}

/** \throws Error unless the bytes are a whole record or map. \return where the brick begins, and its shape. */
nb::tuple
DescribeBrick(const nb::bytes & recordOrMap)
{
  const BrickBox box = BoxOf(ViewOfBytes(recordOrMap));
  nb::list       begin;
  for (int axis = box.volume.dimension - 1; axis >= 0; --axis)
  {
    begin.append(box.begin[axis]);
  }
  return nb::make_tuple(ShapeOf(box.volume), nb::tuple(begin), ShapeOf(box.extent));
}

void
WriteLabels(const nb::bytes & runs, const nb::bytes & map, const OutputArray & labels, int threads)
{
  const BrickBox  box = BoxOf(ViewOfBytes(map));
  const LabelType type = LabelTypeOf(CheckOutput(labels, box.extent));
  void * const    voxels = labels.data();
  WithoutLock(nb::none(),
              [&](const ProgressHooks &) { WriteBrick(ViewOfBytes(runs), ViewOfBytes(map), voxels, type, threads); });
}

/** Bytes that a function of Python returns for a brick. */
std::function<Bytes(std::size_t)>
Asked(const nb::callable & function)
{
  return [&function](std::size_t brick) {
    const nb::gil_scoped_acquire lock;
    const auto                   bytes = nb::cast<nb::bytes>(function(brick));
    const BytesView              view = ViewOfBytes(bytes);
    return Bytes(view.data, view.data + view.size);
  };
}

std::unique_ptr<ComponentTable>
MergeRecords(std::size_t                         bricks,
             const nb::callable &                record,
             const nb::callable &                map,
             const std::optional<nb::callable> & counts)
{
  return WithoutLock(nb::none(), [&](const ProgressHooks &) {
    return std::make_unique<ComponentTable>(
      MergeBrickTables(bricks, Asked(record), Asked(map), counts ? Asked(*counts) : nullptr));
  });
}

/** The table of a label map from those of parts of it, whose rows belong together if their labels are the same. */
ComponentTable
MergeByLabels(const std::vector<const ComponentTable *> & parts,
              const std::vector<std::int64_t> &           shape,
              const Geometry &                            geometry)
{
  if (parts.empty())
  {
    throw InvalidArgument("there are no tables to merge");
  }
  std::vector<std::uint64_t> labels;
  for (const ComponentTable * const part : parts)
  {
    for (std::size_t row = 0; row < part->components.size(); ++row)
    {
      labels.push_back(part->components.Label(row));
    }
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  std::vector<std::vector<std::size_t>> places;
  for (const ComponentTable * const part : parts)
  {
    std::vector<std::size_t> own;
    for (std::size_t row = 0; row < part->components.size(); ++row)
    {
      const auto found = std::lower_bound(labels.begin(), labels.end(), part->components.Label(row));
      own.push_back(static_cast<std::size_t>(found - labels.begin()));
    }
    places.push_back(std::move(own));
  }
  ComponentTable merged;
  merged.extent = ExtentOfShape(shape);
  merged.geometry = geometry;
  MergeParts(parts, places, labels.size(), merged);
  SetLabels(merged, labels);
  return merged;
}

void
BindMerging(nb::module_ & module)
{
  nb::class_<BrickMerge>(module, "BrickMerge", "Joins components across bricks, and numbers them.")
    .def(nb::init<int>(), nb::arg("threads") = 0)
    .def(
      "add",
      [](BrickMerge & merge, const nb::bytes & record) {
        const BytesView              view = ViewOfBytes(record);
        const nb::gil_scoped_release unlocked;
        return merge.Add(view);
      },
      nb::arg("record"))
    .def(
      "add_all",
      [](BrickMerge & merge, const std::vector<nb::bytes> & records) {
        std::vector<BytesView> views;
        for (const nb::bytes & record : records)
        {
          views.push_back(ViewOfBytes(record));
        }
        const nb::gil_scoped_release unlocked;
        return merge.Add(views);
      },
      nb::arg("records"),
      "Adds several, or none if one is damaged.")
    .def("finish",
         [](BrickMerge & merge) {
           const nb::gil_scoped_release unlocked;
           merge.Finish();
         })
    .def_prop_ro("count", &BrickMerge::ComponentCount)
    .def_prop_ro("foreground", &BrickMerge::ForegroundVoxelCount)
    .def_prop_ro("not_numbers", &BrickMerge::NotNumberCount, "NaN values.")
    .def_prop_ro("memory", &BrickMerge::MemoryBytes)
    .def(
      "map",
      [](const BrickMerge & merge, std::size_t brick) { return ToPython(merge.Map(brick)); },
      nb::arg("brick"));
  module.def("merge_brick_tables",
             &MergeRecords,
             nb::arg("bricks"),
             nb::arg("record"),
             nb::arg("map"),
             nb::arg("counts").none() = nb::none(),
             nb::sig("def merge_brick_tables(bricks: int, record: collections.abc.Callable[[int], bytes], map: "
                     "collections.abc.Callable[[int], bytes], counts: collections.abc.Callable[[int], bytes] | None = "
                     "None) -> Table"));
  module.def(
    "merge_label_tables",
    [](const std::vector<const ComponentTable *> & parts,
       const std::vector<std::int64_t> &           shape,
       const Geometry &                            geometry) {
      return WithoutLock(nb::none(), [&](const ProgressHooks &) {
        return std::make_unique<ComponentTable>(MergeByLabels(parts, shape, geometry));
      });
    },
    nb::arg("parts"),
    nb::arg("shape"),
    nb::arg("geometry"));
}

} // namespace

void
BindBricks(nb::module_ & module)
{
  nb::class_<BrickLabeler>(module, "BrickLabeler", "Labels bricks of one volume with the same options and memory.")
    .def(
      nb::init<const std::vector<std::int64_t> &, const Rules &, const Geometry &, bool, const std::string &, bool>(),
      nb::arg("shape"),
      nb::arg("rules"),
      nb::arg("geometry"),
      nb::arg("measures"),
      nb::arg("groups"),
      nb::arg("classes") = false)
    .def("label",
         &BrickLabeler::Label,
         nb::arg("image").noconvert(),
         nb::arg("begin"),
         nb::arg("mask").noconvert().none() = nb::none(),
         nb::arg("intensity").noconvert().none() = nb::none(),
         nb::arg("progress").none() = nb::none(),
         nb::sig(
           "def label(self, image: Annotated[NDArray, dict(device='cpu', writable=False)], begin: "
           "collections.abc.Sequence[int], mask: Annotated[NDArray, dict(device='cpu', writable=False)] | None = None, "
           "intensity: Annotated[NDArray, dict(device='cpu', writable=False)] | None = None, progress: object | None = "
           "None) -> tuple[bytes, bytes]"));
  module.def("check_bytes", &CheckBytes, nb::arg("kind"), nb::arg("bytes"));
  module.def("count_brick",
             &Count,
             nb::arg("record"),
             nb::arg("map"),
             nb::arg("runs"),
             nb::arg("before"),
             nb::arg("threads"));
  module.def("describe_brick",
             &DescribeBrick,
             nb::arg("record_or_map"),
             nb::sig("def describe_brick(record_or_map: bytes) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, "
                     "...]]"));
  module.def("write_brick",
             &WriteLabels,
             nb::arg("runs"),
             nb::arg("map"),
             nb::arg("labels").noconvert(),
             nb::arg("threads"));
  BindMerging(module);
}

} // namespace brickccl::python
