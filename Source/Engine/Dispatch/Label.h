// SPDX-License-Identifier: Apache-2.0
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
    /** The best available device. */
    Auto,
    Cpu,
    Cuda
  };

  Kind kind = Kind::Auto;
  int  index = 0;
  /** Further CUDA devices. Volumes are then labeled by slabs on all devices at the same time. */
  std::vector<int> others = {};
  /** Whether to use all CUDA devices of the machine. */
  bool isAll = false;

  /** Reads "auto", "cpu", "cuda", "cuda:N", "cuda:N,M,..." or "cuda:all". \throws InvalidArgument for other names,
   *  and for a device named twice. */
  static Device FromName(const std::string & name);

  std::string ToString() const;

  /** The numbers of its CUDA devices. */
  std::vector<int> Indices() const;
};

/** The device used for a request on this machine and, if it is not the requested one, one sentence with the reason. */
struct ResolvedDevice
{
  Device      device;
  std::string remark;
};

ResolvedDevice ResolveDevice(const Device & requested);

/** Starts a CUDA device that is requested by name, on a separate thread. This takes some tenths of a second, which
 *  other work, such as reading a file, can hide. The result's destructor waits for the end. */
std::future<void> PrepareDevice(const Device & requested);

/** One line for each device that labeling can run on, the CPU first. */
std::vector<std::string> DescribeDevices();

/** How to label. The defaults are as in itk::ConnectedComponentImageFilter: neighbors share a face, and every nonzero
 *  voxel is foreground. */
struct LabelOptions
{
  /** Face connectivity of the image's dimension if not given. */
  std::optional<Connectivity> connectivity;
  /** Axes along which opposite ends of the image are neighbors; the connectivity must use them. */
  PeriodicAxes periodic;
  Criterion    criterion;
  /** Voxels where the mask is 0 are background. It has the same extent as the image. */
  std::optional<ImageView> mask;

  RelabelOptions relabel;
  /** Components below this volume (mm^3; area in slices and 2-D) become background. Needs `geometry`. */
  double minimumVolume = 0;
  /** Spacing, origin and direction of the image, for volumes and for the component table. */
  Geometry geometry;

  /** "Auto" or a name from ListAlgorithms(), optionally with options ("Name:option=value"). The result is the same
   *  for every algorithm. */
  std::string algorithm = "Auto";
  Device      device;
  /** The number of threads; 0: all. */
  int threads = 0;
  /** Work is cut into pieces of at least this many voxels. The result is the same for every value. */
  std::int64_t grain = std::int64_t{ 1 } << 16;

  ProgressHooks progress;
};

/** `options.relabel` for an image of this dimension, with the minimum volume as a number of voxels. \throws
 *  InvalidArgument for an invalid volume. */
RelabelOptions LimitsOf(const LabelOptions & options, int dimension);

/** The result of labeling, kept as runs: about 1 bit per voxel and 4 bytes per run. It makes label maps of any type
 *  and the component table on request. It also keeps its memory, and memory of a CUDA device, for the next call. */
class Labeling
{
public:
  /** The implementation (Dispatch/LabelingImplementation.h). */
  struct Implementation;

  /** An empty result: its extent has no dimension, and it has no components. */
  Labeling();
  ~Labeling();
  Labeling(Labeling &&) noexcept;
  Labeling & operator=(Labeling &&) noexcept;

  const Extent & GetExtent() const;
  /** The number of components, after the size filters. */
  std::uint64_t ComponentCount() const;
  /** The components that the size filters dropped. */
  const RelabelReport & Relabeled() const;
  /** The number of foreground voxels, including filtered components. Each call counts them again, from one bit per
   *  voxel. */
  std::uint64_t ForegroundVoxelCount() const;
  /** The smallest type that holds the labels. */
  LabelType            SmallestType() const;
  const Connectivity & GetConnectivity() const;
  const PeriodicAxes & GetPeriodicAxes() const;
  /** The name of the algorithm that ran. */
  const std::string & AlgorithmName() const;
  /** Where it ran, and the reason if this is not the requested device. */
  const ResolvedDevice & UsedDevice() const;

  /** Writes the label map, x fastest, to a buffer of the whole extent. Background is 0 and labels are 1..N. With
   *  another `background`, labels are 0, 1, 2 ... except that value, as in itk::ConnectedComponentImageFilter. T is
   *  an integer type, float or double. \throws LabelOverflow before anything is written, if T is too small;
   *  Canceled. */
  template <typename T>
  void
  Write(T * labels, T background = T(0), const ProgressHooks & hooks = {}) const
  {
    WriteAs(labels, ScalarTypeOf<T>(), &background, hooks);
  }

  /** As above, for a label type chosen at run time. `labels` points to voxels of that type. */
  void Write(void * labels, LabelType type, const ProgressHooks & hooks = {}) const;

  /** Writes the labels of the rows [begin, end), x fastest, to a buffer of these rows. It runs on the calling thread;
   *  several threads may write rows at once.
   *  \throws LabelOverflow before anything is written, if the type is too small. */
  void WriteRows(std::int64_t begin, std::int64_t end, void * labels, LabelType type) const;

  /** The runs of the rows [begin, end) in raster order. It runs on the calling thread. \throws InvalidArgument for
   *  rows out of range. */
  std::vector<LabelRun> ListRuns(std::int64_t begin, std::int64_t end) const;

  /** The component table. Without options it has the default columns; with only an image, also its intensities. */
  ComponentTable Measure(const MeasureOptions & options = {}, const ProgressHooks & hooks = {}) const;

  /** As above, into an existing table, whose memory is reused. After an exception the table can only be passed to
   *  another such call. */
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
 *  \throws InvalidArgument, Unsupported, Canceled, std::bad_alloc. */
Labeling Label(const ImageView & image, const LabelOptions & options = {});

/** As above, into an existing result, whose memory is reused. After an exception the result can only be passed to
 *  another such call. */
void Label(const ImageView & image, const LabelOptions & options, Labeling & result);

/** Writes the graph of an image, x fastest: bit VoxelGraphBit(step) of a voxel is set if it is joined to its neighbor
 *  at that step. Bits of steps out of the image are set; bits of steps outside the connectivity are not. TWord is
 *  uint8_t, which holds faces and all bits of one and two dimensions, or uint32_t. The options used are connectivity,
 *  periodic axes, criterion, mask, threads, grain and progress.
 *  \throws InvalidArgument, also for more than 3 dimensions or bits that TWord cannot hold; Canceled. */
template <typename TWord>
void WriteVoxelGraph(const ImageView & image, const LabelOptions & options, TWord * graph);

/** Labels the components of a voxel graph on the CPU: an image of uint8 or uint32 whose bits join voxels. All voxels
 *  are foreground except where `options.mask` is 0. `options.criterion` is not used; without a connectivity, all
 *  steps are used for which the type has bits. Bits of steps out of the image are ignored except along periodic axes,
 *  which must have 3 voxels or more. \throws InvalidArgument, also for a graph where only one of two neighbors has
 *  the bit towards the other; Unsupported, Canceled, std::bad_alloc. */
Labeling LabelVoxelGraph(const ImageView & graph, const LabelOptions & options = {});

/** One labeling algorithm. All algorithms give the same labels. */
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
    /** The default value. */
    std::string preset;
  };
  /** Options of "Name:option=value,option=value". */
  std::vector<Option> options;
};

/** Every algorithm, in the order in which `Auto` tries them. */
std::vector<AlgorithmInfo> ListAlgorithms();

/** Whether an algorithm labels images of an extent under a criterion and connectivity, on the CPU or on CUDA devices.
 *  \throws InvalidArgument for an unknown name, or a connectivity of another dimension than the extent. */
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
