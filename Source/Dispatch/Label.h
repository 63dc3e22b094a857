#ifndef BRICKCCL_DISPATCH_LABEL_H
#define BRICKCCL_DISPATCH_LABEL_H

#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/LabelLists.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "BrickCCL/Dispatch/Device.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace brickccl
{

/** How to label. The defaults are those of itk::ConnectedComponentImageFilter: face neighbours, every voxel that is
 *  not 0 is foreground. */
struct LabelOptions
{
  /** Face connectivity of the image's dimension if not given. */
  std::optional<Connectivity> connectivity;
  Criterion                   criterion;
  /** Voxels where the mask is 0 take no part; same extent as the image. */
  std::optional<ImageView> mask;

  RelabelOptions relabel;
  /** Components of less volume (mm^3; area in 2-D) become background; needs `geometry`. */
  double minimumVolume = 0;
  /** Spacing, origin and direction of the image, for volumes and for the component table. */
  Geometry geometry;

  /** "Auto" or a name from Algorithms(). The result is the same for all of them. */
  std::string algorithm = "Auto";
  Device      device;
  /** 0: all. */
  int threads = 0;
  /** Work is cut into pieces of at least so many voxels; the result is the same for every value. */
  std::int64_t grain = HostContext{}.grain;

  ProgressHooks progress;
};

class Labeling;

namespace testing
{
/** Sets every byte of the host's memory that a result keeps for the next call; the result is only good for that. */
void OverwriteMemory(Labeling & labeling, unsigned char byte);
} // namespace testing

/** The result of labeling, kept as runs: about 1 bit per voxel and 4 bytes per run. Label maps of any type and the
 *  component table are made from it on request. It also keeps the memory of a CUDA device for the next call. */
class Labeling
{
public:
  const Extent &
  GetExtent() const
  {
    return m_Volume.GetExtent();
  }
  /** The number of components, after the size filters. */
  std::uint64_t
  ComponentCount() const
  {
    return m_Components;
  }
  /** The number of voxels that took part, filtered components included: counted each time, from a bit for each voxel.
   */
  std::uint64_t ForegroundVoxelCount() const;
  /** The smallest type for the labels. */
  LabelType
  SmallestType() const
  {
    return SmallestLabelType(m_Components);
  }
  const Connectivity &
  GetConnectivity() const
  {
    return m_Connectivity;
  }
  /** The name of the algorithm that ran. */
  const std::string &
  AlgorithmName() const
  {
    return m_Algorithm;
  }
  /** Where it ran and, if that is not what was asked for, why. */
  const ResolvedDevice &
  UsedDevice() const
  {
    return m_Device;
  }
  const RunVolume &
  Runs() const
  {
    return m_Volume;
  }

  /** Writes the label map, x fastest, to a buffer of the whole extent: background 0, labels 1..N (another
   *  `background` is left out of the labels 0, 1, 2 ..., as itk::ConnectedComponentImageFilter does it).
   *  \throws LabelOverflow before anything is written, if T is too small. */
  template <typename T>
  void
  Write(T * labels, T background = T(0), const ProgressHooks & hooks = {}) const
  {
    ExpandLabels(m_Volume, m_Components, Context(hooks), labels, background);
  }

  /** As above, for a label type chosen at run time; `labels` points to voxels of that type. */
  void Write(void * labels, LabelType type, const ProgressHooks & hooks = {}) const;

  /** Writes the labels of the rows [begin, end), x fastest, to a buffer of these rows, on the calling thread; several
   *  threads may write rows at once.
   *  \throws LabelOverflow before anything is written, if the type is too small. */
  void WriteRows(std::int64_t begin, std::int64_t end, void * labels, LabelType type) const;

  /** The component table: with no options its default columns, with an image alone those and its intensities. */
  ComponentTable Measure(const MeasureOptions & options = {}, const ProgressHooks & hooks = {}) const;

  /** The same into an earlier table, the memory of whose rows is used again. After an exception the table is only good
   *  for that. */
  void Measure(const MeasureOptions & options, ComponentTable & table, const ProgressHooks & hooks = {}) const;

  /** All voxels of each component, grouped by component. */
  LabelLists ListVoxels(const ProgressHooks & hooks = {}) const;

private:
  friend void Label(const ImageView & image, const LabelOptions & options, Labeling & result);
  friend void Label(const RowLinks & links, const Extent & extent, const LabelOptions & options, Labeling & result);
  friend void testing::OverwriteMemory(Labeling & labeling, unsigned char byte);

  HostContext
  Context(const ProgressHooks & hooks) const
  {
    return { m_Threads, Progress(hooks), m_Grain };
  }

  void Prepare(const Extent & extent, const LabelOptions & options);
  void LabelOnCpu(const RowLinks & links, const Extent & extent, const LabelOptions & options);
  bool LabelOnCuda(const ImageView & image, const LabelOptions & options);
  void Finish(std::uint64_t found, const LabelOptions & options);

  RunVolume      m_Volume;
  Connectivity   m_Connectivity = Connectivity::Face(1);
  Geometry       m_Geometry;
  std::string    m_Algorithm;
  ResolvedDevice m_Device;
  std::uint64_t  m_Components = 0;
  int            m_Threads = 0;
  std::int64_t   m_Grain = 0;

  std::shared_ptr<CudaLabeler> m_CudaLabeler;
};

/** Labels the connected components of an image.
 *  \throws InvalidArgument, Unsupported, Cancelled, std::bad_alloc. */
Labeling Label(const ImageView & image, const LabelOptions & options = {});

/** The same into an earlier result, whose memory is used again. After an exception the result is only good for that. */
void Label(const ImageView & image, const LabelOptions & options, Labeling & result);

/** Labels a volume whose links a caller supplies (see FunctorRowLinks); `options.criterion` and `options.mask` are not
 *  used. */
void Label(const RowLinks & links, const Extent & extent, const LabelOptions & options, Labeling & result);

} // namespace brickccl

#endif
