#ifndef BRICKCCL_DISPATCH_LABEL_H
#define BRICKCCL_DISPATCH_LABEL_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/Device.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

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
