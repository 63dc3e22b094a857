// SPDX-License-Identifier: Apache-2.0
#include "LabeledRuns.h"

#include "Cleaning.h"
#include "Hooks.h"
#include "Rules.h"
#include "Table.h"

#include "BrickCCL/Criteria/GraphLinks.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/ListVoxels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::python
{

namespace
{

/** The memory of runs that were freed, for the next ones: that of one volume, if it is small. Most of it lies in small
 *  pages, which the system would have to clear one by one again. */
class SpareRuns
{
public:
  /** \return runs to label into. They hold no more than two bytes for each voxel. */
  RunVolume
  Take(std::int64_t voxels)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    const bool                        isTooLarge = m_Runs.CapacityBytes() > 2 * static_cast<std::uint64_t>(voxels);
    return isTooLarge ? RunVolume() : std::exchange(m_Runs, {});
  }

  void
  Keep(RunVolume && runs)
  {
    // Small memory is found as fast elsewhere, and should not take the place of large one.
    if (runs.CapacityBytes() >= SmallestBytes && runs.CapacityBytes() <= LargestKeptRuns)
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      std::swap(m_Runs, runs);
    }
  }

  /** \return how many bytes it was. */
  std::size_t
  Release()
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    return std::exchange(m_Runs, {}).CapacityBytes();
  }

private:
  static constexpr std::size_t SmallestBytes = std::size_t{ 1 } << 20;

  std::mutex m_Mutex;
  RunVolume  m_Runs;
};

/** Never destroyed, since results may be freed after everything else. */
SpareRuns &
Spare()
{
  static auto & spare = *new SpareRuns;
  return spare;
}

/** Counts the calls that work with something at once. Calls begin and end only with the interpreter's lock. */
class Users
{
public:
  class Use
  {
  public:
    explicit Use(const Users & users)
      : m_Users(users)
    {
      ++m_Users.m_Count;
    }
    Use(const Use &) = delete;
    Use & operator=(const Use &) = delete;
    ~Use()
    {
      --m_Users.m_Count;
    }

  private:
    const Users & m_Users;
  };

  int
  Count() const
  {
    return m_Count;
  }

private:
  mutable int m_Count = 0;
};

/** A labeled volume as runs, whose labels are 1 .. count, or 0 for what was filtered out. */
class LabeledRuns
{
public:
  static constexpr std::int64_t RowsAtOnce = 256;

  LabeledRuns() = default;
  LabeledRuns(const LabeledRuns &) = delete;
  LabeledRuns & operator=(const LabeledRuns &) = delete;
  ~LabeledRuns()
  {
    Spare().Keep(std::move(volume));
  }

  RunVolume          volume;
  std::uint64_t      count = 0;
  Geometry           geometry;
  std::optional<int> sliceAxis;
  int                threads = 0;
  std::string        algorithm;
  std::string        device;
  std::string        remark;
  /** Calls without the interpreter's lock. */
  Users users;

  void
  Write(const OutputArray & labels, nb::object progress) const
  {
    const Users::Use use(users);
    const ScalarType type = CheckOutput(labels, volume.GetExtent());
    void * const     voxels = labels.data();
    WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
      VisitScalarType(type, [&](auto tag) {
        ExpandLabels(volume, count, { threads, Progress(hooks) }, static_cast<typename decltype(tag)::Type *>(voxels));
      });
    });
  }

  ComponentTable
  Measure(const Measures & measures, nb::object progress) const
  {
    const Users::Use     use(users);
    const MeasureOptions options = measures.Options();
    return WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
      return MeasureComponents(volume, count, geometry, options, sliceAxis, { threads, Progress(hooks) });
    });
  }

  std::uint64_t
  CountForeground() const
  {
    return brickccl::CountForeground(volume, { threads });
  }

  /** All voxels of each component: offsets and places. */
  nb::tuple
  ListVoxels(nb::object progress) const
  {
    const Users::Use use(users);
    LabelLists       lists = WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
      return brickccl::ListVoxels(volume, count, { threads, Progress(hooks) });
    });
    return nb::make_tuple(ArrayOf(std::vector<std::int64_t>(lists.offsets.begin(), lists.offsets.end())),
                          ArrayOf(std::move(lists.voxels)));
  }

  /** The runs of components: place of the first voxel, length, label. */
  nb::tuple
  ListRuns() const
  {
    const Users::Use          use(users);
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> labels;
    WithoutLock(nb::none(), [&](const ProgressHooks & hooks) {
      const std::int64_t rows = volume.GetExtent().RowCount();
      for (std::int64_t row = 0; row < rows; row += RowsAtOnce)
      {
        Progress(hooks).Update(0);
        for (const LabelRun & run : brickccl::ListRuns(volume, row, std::min(row + RowsAtOnce, rows)))
        {
          if (run.label != 0)
          {
            starts.push_back(run.place);
            lengths.push_back(run.length);
            labels.push_back(static_cast<std::int64_t>(run.label));
          }
        }
      }
    });
    return nb::make_tuple(ArrayOf(std::move(starts)), ArrayOf(std::move(lengths)), ArrayOf(std::move(labels)));
  }

  /** Component i gets the number numbers[i - 1], 0 for none. Ctrl-C leaves everything as it was.
   *  \throws Error if another call works with the runs, on another thread or in a progress callable */
  void
  Renumber(const nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> & numbers)
  {
    if (numbers.size() != count)
    {
      throw InvalidArgument("there are " + std::to_string(numbers.size()) + " numbers for " + std::to_string(count) +
                            " components; there must be one for each");
    }
    const Users::Use            use(users);
    const std::uint64_t * const given = numbers.data();
    std::uint64_t               largest = 0;
    RunLabels                   labels = WithoutLock(nb::none(), [&](const ProgressHooks & hooks) {
      std::vector<std::uint64_t> numberOf{ 0 };
      numberOf.insert(numberOf.end(), given, given + count);
      largest = *std::max_element(numberOf.begin(), numberOf.end());
      return RenumberedLabels(volume, numberOf, { threads, Progress(hooks) });
    });
    if (users.Count() > 1)
    {
      throw Error("another call is using this labeling; `keep` and `remove` need exclusive access");
    }
    volume.SetLabels(std::move(labels));
    count = largest;
  }
};

/** Before a CUDA device is ready, a CPU thread labels about this many voxels (Testing/gpu/RESULTS.md, whole commands).
 */
constexpr double VoxelsPerThread = 5e8;

/** The runs of this many voxels, which `label(labeling)` labels without the interpreter's lock. Meanwhile the options
 * have the hooks. */
template <typename TLabel>
std::unique_ptr<LabeledRuns>
TakeRunsOf(std::int64_t voxels, LabelOptions & options, nb::object progress, const TLabel & label)
{
  auto result = std::make_unique<LabeledRuns>();
  WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    options.progress = hooks;
    Labeling labeling;
    GiveMemory(Spare().Take(voxels), labeling);
    label(labeling);
    result->count = labeling.ComponentCount();
    result->algorithm = labeling.AlgorithmName();
    result->device = labeling.UsedDevice().device.ToString();
    result->remark = labeling.UsedDevice().remark;
    result->volume = TakeRuns(labeling);
  });
  result->geometry = options.geometry;
  for (int axis = options.connectivity->Dimension() - 1; axis >= 0; --axis)
  {
    result->sliceAxis = options.connectivity->Uses(axis) ? result->sliceAxis : axis;
  }
  result->threads = options.threads;
  return result;
}

std::unique_ptr<LabeledRuns>
Find(const InputArray &                image,
     const std::optional<InputArray> & mask,
     const Rules &                     rules,
     const Geometry &                  geometry,
     nb::object                        progress,
     const std::optional<Filter> &     filter)
{
  const ImageView       view = ViewOf(image);
  const ComponentFilter components = filter ? filter->Get() : ComponentFilter();
  LabelOptions          options = rules.For(view.extent, mask, geometry);
  // The number of threads is only asked for where it matters: that takes longer than labeling a small image.
  const auto voxels = static_cast<double>(view.extent.VoxelCount());
  if (options.device.kind == Device::Kind::Auto &&
      (voxels < VoxelsPerThread || voxels < VoxelsPerThread * EffectiveThreadCount(rules.options.threads)))
  {
    options.device.kind = Device::Kind::Cpu;
  }

  return TakeRunsOf(view.extent.VoxelCount(), options, std::move(progress), [&](Labeling & labeling) {
    Label(view, options, components, labeling);
  });
}

/** Labels a voxel graph. */
std::unique_ptr<LabeledRuns>
FindInGraph(const InputArray &                graph,
            const std::optional<InputArray> & mask,
            const Rules &                     rules,
            const Geometry &                  geometry,
            nb::object                        progress)
{
  const ImageView view = ViewOf(graph);
  LabelOptions    options = rules.For(view.extent, mask, geometry);
  if (!rules.connectivity && rules.neighborhood.empty())
  {
    options.connectivity = FullConnectivityOfGraph(view);
  }
  return TakeRunsOf(view.extent.VoxelCount(), options, std::move(progress), [&](Labeling & labeling) {
    labeling = LabelVoxelGraph(view, options);
  });
}

/** Writes the graph of an image to an array of uint8 or uint32. */
void
WriteGraph(const InputArray &                image,
           const std::optional<InputArray> & mask,
           const OutputArray &               graph,
           const Rules &                     rules,
           nb::object                        progress)
{
  const ImageView  view = ViewOf(image);
  const ScalarType type = CheckOutput(graph, view.extent);
  void * const     words = graph.data();
  LabelOptions     options = rules.For(view.extent, mask, {});
  if (type != ScalarType::UInt8 && type != ScalarType::UInt32)
  {
    throw InvalidArgument("a voxel graph must be of type uint8 or uint32");
  }
  WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    options.progress = hooks;
    type == ScalarType::UInt8 ? WriteVoxelGraph(view, options, static_cast<std::uint8_t *>(words))
                              : WriteVoxelGraph(view, options, static_cast<std::uint32_t *>(words));
  });
}

std::pair<std::unique_ptr<LabeledRuns>, std::unique_ptr<ComponentTable>>
MeasureLabels(const InputArray &        labels,
              std::optional<InputArray> intensity,
              std::optional<InputArray> part,
              const std::string &       groups,
              int                       threads,
              const Geometry &          geometry,
              nb::object                progress)
{
  const Measures       measures{ std::move(intensity), std::move(part), groups };
  const ImageView      view = ViewOf(labels);
  const MeasureOptions options = measures.Options();
  auto                 runs = std::make_unique<LabeledRuns>();
  auto                 table = std::make_unique<ComponentTable>();
  runs->geometry = geometry;
  runs->threads = ThreadsFor(view.extent, threads);
  WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    *table = MeasureLabelImage(view, geometry, options, { runs->threads, Progress(hooks) }, runs->volume);
  });
  runs->count = table->components.size();
  return { std::move(runs), std::move(table) };
}

} // namespace

std::size_t
FreeKeptRuns()
{
  return Spare().Release();
}

void
BindLabeledRuns(nb::module_ & module)
{
  nb::class_<LabeledRuns>(module, "LabeledRuns", "Components as runs of voxels, without a label map.")
    .def_ro("count", &LabeledRuns::count)
    .def_ro("threads", &LabeledRuns::threads)
    .def_ro("algorithm", &LabeledRuns::algorithm)
    .def_ro("device", &LabeledRuns::device)
    .def_ro("remark", &LabeledRuns::remark)
    .def_prop_ro(
      "shape",
      [](const LabeledRuns & runs) { return ShapeOf(runs.volume.GetExtent()); },
      ShapeSignature)
    .def_prop_ro("run_count", [](const LabeledRuns & runs) { return runs.volume.RunCount(); })
    .def("foreground", &LabeledRuns::CountForeground)
    .def("write", &LabeledRuns::Write, nb::arg("labels").noconvert(), nb::arg("progress").none() = nb::none())
    .def(
      "measure",
      [](const LabeledRuns &       runs,
         std::optional<InputArray> intensity,
         std::optional<InputArray> part,
         const std::string &       groups,
         nb::object                progress) {
        return runs.Measure({ std::move(intensity), std::move(part), groups }, std::move(progress));
      },
      nb::arg("intensity").noconvert().none() = nb::none(),
      nb::arg("part").noconvert().none() = nb::none(),
      nb::arg("groups") = "",
      nb::arg("progress").none() = nb::none())
    .def("voxels",
         &LabeledRuns::ListVoxels,
         nb::arg("progress").none() = nb::none(),
         nb::sig("def voxels(self, progress: object | None = None) -> tuple[numpy.typing.NDArray[numpy.int64], "
                 "numpy.typing.NDArray[numpy.int64]]"))
    .def("runs",
         &LabeledRuns::ListRuns,
         nb::sig("def runs(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64], "
                 "numpy.typing.NDArray[numpy.int64]]"))
    .def("renumber", &LabeledRuns::Renumber, nb::arg("numbers").noconvert());

  module.def("find",
             &Find,
             nb::arg("image").noconvert(),
             nb::arg("mask").noconvert().none(),
             nb::arg("rules"),
             nb::arg("geometry"),
             nb::arg("progress").none() = nb::none(),
             nb::arg("filter").none() = nb::none());
  module.def("find_in_graph",
             &FindInGraph,
             nb::arg("graph").noconvert(),
             nb::arg("mask").noconvert().none(),
             nb::arg("rules"),
             nb::arg("geometry"),
             nb::arg("progress").none() = nb::none());
  module.def("write_graph",
             &WriteGraph,
             nb::arg("image").noconvert(),
             nb::arg("mask").noconvert().none(),
             nb::arg("graph").noconvert(),
             nb::arg("rules"),
             nb::arg("progress").none() = nb::none());
  module.def("measure_labels",
             &MeasureLabels,
             nb::arg("labels").noconvert(),
             nb::arg("intensity").noconvert().none(),
             nb::arg("part").noconvert().none(),
             nb::arg("groups"),
             nb::arg("threads"),
             nb::arg("geometry"),
             nb::arg("progress").none());
}

} // namespace brickccl::python
