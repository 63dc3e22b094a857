#ifndef BRICKCCL_CLI_DOUBTS_H
#define BRICKCCL_CLI_DOUBTS_H

#include "BrickCCL/Cli/CriterionOptions.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Dispatch/Label.h"

#include <cstdint>

namespace brickccl::cli
{

/** What the values of an image look like, of which parts may be seen one after the other. Labels are several whole
 *  numbers whose neighbours along x are mostly equal. Of gray values many differ from their neighbours. Of a large
 * image only some rows are looked at. */
class LooksOfImage
{
public:
  /** Sees a part of whole rows.
   *  \param firstRow  the part's first row in the image
   *  \param labeling  of the part */
  void Add(const ImageView & part, std::int64_t firstRow, std::int64_t rowsOfImage, const Labeling & labeling);

  /** Whether it looks like a label map, and a component of a part has voxels of several labels. */
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

/** Whether such looks say something: where no criterion tells what the values mean. */
bool LooksDecide(const Criterion & criterion, int channels);

/** Notes what makes a labeling look as if another one was meant: a gray scan without a criterion, a range that holds
 *  nothing or nearly everything, several channels, a label map taken for an image. */
void NoteDoubts(const CriterionArguments & arguments,
                const LoadedImage &        image,
                const Segmented &          segmented,
                const Labeling &           labeling,
                bool                       hasMask,
                ImageReader &              reader);

/** Notes what can be said of an image that is labeled in parts. Of labels that touch between parts alone it is not
 * known that they are joined. */
void NoteDoubtsOfSlabs(const Criterion &    criterion,
                       const LoadedImage &  image,
                       std::uint64_t        foreground,
                       const LooksOfImage & looks,
                       bool                 hasMask,
                       ImageReader &        reader);

/** Notes holes of the mask of a part: distances to its surface are those to the holes as well. */
void NoteHolesOfPart(const LoadedImage & part, int threads, ImageReader & reader);

/** Notes components that lie outside of the part. */
void NoteOutsideOfPart(const ComponentTable & table, ImageReader & reader);

} // namespace brickccl::cli

#endif
