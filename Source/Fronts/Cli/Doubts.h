// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_DOUBTS_H
#define BRICKCCL_CLI_DOUBTS_H

#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Dispatch/Label.h"

#include <cstdint>
#include <optional>

namespace brickccl::cli
{

/** The look of an image's values, which may come in parts. Labels are several whole numbers whose neighbors along x
 *  are mostly equal; many gray values differ from their neighbors. Only some rows of a large image are checked. */
class LooksOfImage
{
public:
  /** Sees a part of whole slices.
   *  \param firstRow  the part's first row in the image
   *  \param image     the extent of the whole image
   *  \param labeling  of the part */
  void Add(const ImageView & part, std::int64_t firstRow, const Extent & image, const Labeling & labeling);
  /** Checks only the values. */
  void AddValues(const ImageView & part, std::int64_t firstRow, const Extent & image);

  /** Whether it looks like a label map, and a component of a part has voxels of several labels. Labels that
   *  touch only where a part ends are not noticed. */
  bool
  AreLabelsJoined() const
  {
    return Look() == Kind::Labels && m_JoinsValues;
  }
  bool
  AreGrayValues() const
  {
    return Look() == Kind::GrayValues;
  }

private:
  enum class Kind
  {
    Labels,
    GrayValues,
    Other
  };

  Kind Look() const;

  std::uint64_t m_Equal = 0;
  std::uint64_t m_Different = 0;
  double        m_First = 0;
  bool          m_AreSeveral = false;
  bool          m_AreWhole = false;
  bool          m_JoinsValues = false;
};

/** Notes what makes a labeling look as if another one was meant: a gray scan without a criterion, a range that holds
 *  nothing or nearly everything, several channels, a label map taken for an image. The image may come in parts; labels
 *  joined only by periodic ends, and components that size limits drop, are then not noted. */
class Doubts
{
public:
  /** The criterion and the image must outlive it. */
  Doubts(const Criterion & criterion, const LoadedImage & image, const job::Segmenting & arguments, int threads)
    : m_Criterion(criterion)
    , m_Image(image)
    , m_HasMask(!arguments.mask.empty())
    , m_IsSmoothed(!arguments.smooth.empty())
    , m_Threads(threads)
  {}

  /** Sees a part, or all. Slabs that an earlier run labeled are not seen. */
  void See(const ImageView & slab, std::int64_t firstRow, const Labeling & labeling);

  /** \param components  the number of remaining ones */
  void Note(std::uint64_t foreground, std::uint64_t components, ImageReader & reader) const;

private:
  const Criterion &   m_Criterion;
  const LoadedImage & m_Image;
  bool                m_HasMask;
  bool                m_IsSmoothed;
  int                 m_Threads;
  LooksOfImage        m_Looks;
  std::uint64_t       m_Voxels = 0;
  std::uint64_t       m_Foreground = 0;
  /** Slabs with this many voxels were checked, while there may be something to note. */
  std::uint64_t         m_KnownVoxels = 0;
  std::optional<Number> m_Minimum;
  std::optional<Number> m_Maximum;
};

/** Notes a gray scan instead of a part's mask, and holes of the mask: their walls count as surface. \throws
 *  InvalidArgument for a mask without a voxel of value 0. */
void CheckPart(const LoadedImage & part, int threads, ImageReader & reader);

/** Notes components outside the part. */
void NoteOutsideOfPart(const ComponentTable & table, ImageReader & reader);

/** Notes that a segmentation to clean looks like a gray scan. */
void NoteGrayClasses(const LoadedImage & image,
                     ImageReader &       reader,
                     const std::string & advice =
                       "make a mask first: `brickccl label SCAN MASK --threshold METHOD` (`brickccl info` proposes "
                       "thresholds)");

/** Notes components whose intensities have no mean. */
void NoteMeasures(const ComponentTable & table, ImageReader & reader);

} // namespace brickccl::cli

#endif
