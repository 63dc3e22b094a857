#ifndef BRICKCCL_DISPATCH_LABEL_H
#define BRICKCCL_DISPATCH_LABEL_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

/** Where labeling runs. */
struct Device
{
  enum class Kind
  {
    /** The best device that is there. */
    Auto,
    Cpu,
    Cuda
  };

  Kind kind = Kind::Auto;
  int  index = 0;
  /** Further CUDA devices. Volumes are then labeled by slabs on all of them at the same time. */
  std::vector<int> others = {};
  /** Whether all CUDA devices of the machine are meant. */
  bool isAll = false;

  /** Reads "auto", "cpu", "cuda", "cuda:N", "cuda:N,M,..." or "cuda:all". \throws InvalidArgument for other names, and
   *  for a device that is named twice. */
  static Device FromName(const std::string & name);

  std::string ToString() const;

  /** The numbers of its CUDA devices. */
  std::vector<int> Indices() const;
};

/** What a request for a device comes to on this machine: the device that is used and, if it is not the one that was
 *  asked for, one sentence that says why. */
struct ResolvedDevice
{
  Device      device;
  std::string remark;
};

ResolvedDevice ResolveDevice(const Device & requested);

/** Begins to make a CUDA device ready that is asked for by name, on a thread of its own. This takes some tenths of a
 *  second. Work that is done meanwhile, such as reading a file, hides them. The result's destructor waits for the
 *  end. */
std::future<void> PrepareDevice(const Device & requested);

/** One line for each device that labeling can run on, the CPU first. */
std::vector<std::string> DescribeDevices();

/** How to label. The defaults are those of itk::ConnectedComponentImageFilter: neighbours share a face, and every voxel
 *  that is not 0 is foreground. */
struct LabelOptions
{
  /** If it is not given, face connectivity of the image's dimension. */
  std::optional<Connectivity> connectivity;
  /** Neighbours must lie along these axes. */
  PeriodicAxes periodic;
  Criterion    criterion;
  /** Voxels where the mask is 0 take no part. It has the same extent as the image. */
  std::optional<ImageView> mask;

  RelabelOptions relabel;
  /** Components of less volume (mm^3; area in 2-D) become background. It needs `geometry`. */
  double minimumVolume = 0;
  /** Spacing, origin and direction of the image, for volumes and for the component table. */
  Geometry geometry;

  /** "Auto" or a name from ListAlgorithms(), with options if wanted ("Name:option=value"). The result is the same for
   *  every algorithm. */
  std::string algorithm = "Auto";
  Device      device;
  /** The number of threads; 0 stands for all. */
  int threads = 0;
  /** Work is cut into pieces of at least so many voxels. The result is the same for every value. */
  std::int64_t grain = std::int64_t{ 1 } << 16;

  ProgressHooks progress;
};

/** What `options.relabel` asks for in an image of this dimension, with the minimum volume as a number of voxels.
 *  \throws InvalidArgument for a volume without meaning. */
RelabelOptions LimitsOf(const LabelOptions & options, int dimension);

/** Which voxels take part and which are joined, decided by the caller's own functions. They are called from several
 *  threads at once. A place is that of a voxel in the image (x fastest). */
struct CustomLinks
{
  std::function<bool(std::int64_t place)> isForeground;
  /** Whether two neighbouring foreground voxels are joined. It must be symmetric. */
  std::function<bool(std::int64_t place, std::int64_t neighbour)> areJoined;
};

/** The result of labeling. It is kept as runs: about 1 bit per voxel and 4 bytes per run. Label maps of any type and
 *  the component table are made from it on request. It also keeps its memory, and that of a CUDA device, for the next
 *  call. */
class Labeling
{
public:
  /** What stands behind it (Dispatch/LabelingImplementation.h). */
  struct Implementation;

  /** A result of nothing: its extent has no dimension, and it has no components. */
  Labeling();
  ~Labeling();
  Labeling(Labeling &&) noexcept;
  Labeling & operator=(Labeling &&) noexcept;

  const Extent & GetExtent() const;
  /** The number of components, after the size filters. */
  std::uint64_t ComponentCount() const;
  /** What the filters by size dropped. */
  const RelabelReport & Relabeled() const;
  /** The number of voxels that took part, including those of filtered components. Each call counts it anew, from one
   *  bit per voxel. */
  std::uint64_t ForegroundVoxelCount() const;
  /** The smallest type that holds the labels. */
  LabelType            SmallestType() const;
  const Connectivity & GetConnectivity() const;
  const PeriodicAxes & GetPeriodicAxes() const;
  /** The name of the algorithm that ran. */
  const std::string & AlgorithmName() const;
  /** Where it ran, and why there if that is not what was asked for. */
  const ResolvedDevice & UsedDevice() const;

  /** Writes the label map, x fastest, to a buffer of the whole extent. Background is 0 and labels are 1..N. With
   *  another `background`, labels are 0, 1, 2 ... without that value, as in itk::ConnectedComponentImageFilter. T is an
   *  integer type, float or double. \throws LabelOverflow before anything is written, if T is too small; Cancelled. */
  template <typename T>
  void
  Write(T * labels, T background = T(0), const ProgressHooks & hooks = {}) const
  {
    WriteAs(labels, ScalarTypeOf<T>(), &background, hooks);
  }

  /** As above, for a label type that is chosen at run time. `labels` points to voxels of that type. */
  void Write(void * labels, LabelType type, const ProgressHooks & hooks = {}) const;

  /** Writes the labels of the rows [begin, end), x fastest, to a buffer of these rows. It runs on the calling thread;
   *  several threads may write rows at once.
   *  \throws LabelOverflow before anything is written, if the type is too small. */
  void WriteRows(std::int64_t begin, std::int64_t end, void * labels, LabelType type) const;

  /** The runs of the rows [begin, end) in raster order. It runs on the calling thread. \throws InvalidArgument for rows
   *  that are not there. */
  std::vector<LabelRun> ListRuns(std::int64_t begin, std::int64_t end) const;

  /** The component table. Without options it has the default columns; with only an image, those and its intensities. */
  ComponentTable Measure(const MeasureOptions & options = {}, const ProgressHooks & hooks = {}) const;

  /** The same into an earlier table. The memory of its rows is used again. After an exception the table is good only
   *  for another such call. */
  void Measure(const MeasureOptions & options, ComponentTable & table, const ProgressHooks & hooks = {}) const;

  /** All voxels, grouped by component. */
  LabelLists ListVoxels(const ProgressHooks & hooks = {}) const;

private:
  friend Implementation &       ImplementationOf(Labeling & labeling);
  friend const Implementation & ImplementationOf(const Labeling & labeling);

  void WriteAs(void * labels, ScalarType type, const void * background, const ProgressHooks & hooks) const;

  std::unique_ptr<Implementation> m_Implementation;
};

/** Labels the connected components of an image.
 *  \throws InvalidArgument, Unsupported, Cancelled, std::bad_alloc. */
Labeling Label(const ImageView & image, const LabelOptions & options = {});

/** The same into an earlier result, whose memory is used again. After an exception the result is good only for another
 *  such call. */
void Label(const ImageView & image, const LabelOptions & options, Labeling & result);

/** Labels a volume on the CPU, with links that the caller decides. `options.criterion` and `options.mask` are not used.
 *  \throws InvalidArgument, also if one of the functions is empty; Unsupported, Cancelled, std::bad_alloc. */
Labeling Label(const Extent & extent, const CustomLinks & links, const LabelOptions & options = {});

/** Writes the graph of an image, x fastest: bit VoxelGraphBit(step) of a voxel says that it is joined to its neighbour
 * at that step. Bits of steps out of the image are set, those of steps that the connectivity lacks are not. TWord is
 *  uint8_t, which holds faces and all bits of one and two dimensions, or uint32_t. Of the options the connectivity,
 *  periodic axes, criterion, mask, threads, grain and progress are used.
 *  \throws InvalidArgument, also for more than 3 dimensions or bits that TWord does not hold; Cancelled. */
template <typename TWord>
void WriteVoxelGraph(const ImageView & image, const LabelOptions & options, TWord * graph);

/** Labels the components of a voxel graph on the CPU: an image of uint8 or uint32 whose bits join voxels. All voxels
 * take part, but for those where `options.mask` is 0. `options.criterion` is not used; if there is no connectivity, it
 * is that of all steps for which the type has bits. Bits of steps out of the image matter along periodic axes alone,
 * which must have 3 voxels or more. \throws InvalidArgument, also for a graph of which only one of two neighbours has
 * the bit towards the other; Unsupported, Cancelled, std::bad_alloc. */
Labeling LabelVoxelGraph(const ImageView & graph, const LabelOptions & options = {});

/** One labeling algorithm. All of them give the same labels. */
struct AlgorithmInfo
{
  /** For LabelOptions::algorithm. */
  std::string name;
  std::string summary;
  bool        runsOnCpu = false;
  bool        runsOnCuda = false;

  struct Option
  {
    std::string name;
    std::string summary;
    /** "first-scan=earlier|all" or "gather=1..65535" */
    std::string syntax;
    /** The value that it has if it is not set. */
    std::string preset;
  };
  /** What callers may set, as "Name:option=value,option=value" in place of the name. */
  std::vector<Option> options;
};

/** Every algorithm, in the order in which `Auto` asks them. */
std::vector<AlgorithmInfo> ListAlgorithms();

/** Whether an algorithm labels images of an extent under a criterion and connectivity, on the CPU or on CUDA devices.
 *  \throws InvalidArgument for an unknown name, or a connectivity of another dimension than the extent's. */
bool AlgorithmRunsOnCpu(const std::string &  name,
                        const Extent &       extent,
                        const Criterion &    criterion,
                        const Connectivity & connectivity);
bool AlgorithmRunsOnCuda(const std::string &  name,
                         const Extent &       extent,
                         const Criterion &    criterion,
                         const Connectivity & connectivity);

} // namespace brickccl

#endif
