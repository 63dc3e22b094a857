#ifndef BRICKCCL_PICTURES_LABELCOLOURS_H
#define BRICKCCL_PICTURES_LABELCOLOURS_H

#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/Slice.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace brickccl
{

/** A colour for each label of some slices. Labels that lie up to 4 pixels from each other have different ones, and so
 *  have all listed ones, unless there are more of them than colours: then those are used again that fewest share. */
class LabelColours
{
public:
  /** \param listed  labels that stand beside each other in a legend. */
  LabelColours(const std::vector<SlicePixels> & slices, const std::vector<std::uint64_t> & listed);

  /** \param label  one of the slices'. */
  Colour operator[](std::uint64_t label) const;

  /** How many there are to choose from. */
  static std::size_t Count();

private:
  std::unordered_map<std::uint64_t, std::size_t> m_Colours;
};

} // namespace brickccl

#endif
