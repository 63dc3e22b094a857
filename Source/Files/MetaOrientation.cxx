#include "BrickCCL/Files/MetaOrientation.h"

#include <cmath>
#include <string_view>

namespace brickccl::files
{

void
NoteAnatomicalOrientation(const std::string *                        letters,
                          std::size_t                                dimension,
                          const std::optional<std::vector<double>> & matrix,
                          std::vector<std::string> &                 notes)
{
  // Where an axis leads from that leads to the left, posterior or superior; the opposite ones behind.
  constexpr std::string_view known = "RAILPS";
  if (letters == nullptr || letters->size() != 3 || letters->find_first_not_of(known) != std::string::npos ||
      dimension < 3)
  {
    return;
  }
  // An oblique axis has the letter of the patient's axis next to it, which is less than 60 degrees away.
  constexpr double nearest = 0.5;
  bool             isFrom = true;
  bool             isTo = true;
  std::string      own;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    double d[3] = {};
    for (std::size_t row = 0; row < 3; ++row)
    {
      d[row] = matrix ? (*matrix)[axis * dimension + row] : row == axis ? 1 : 0;
    }
    const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const auto   place = known.find((*letters)[axis]);
    const double along = (place < 3 ? 1 : -1) * d[place % 3] / length;
    isFrom = isFrom && along > nearest;
    isTo = isTo && along < -nearest;
    std::size_t largest = 0;
    for (std::size_t row = 1; row < 3; ++row)
    {
      largest = std::fabs(d[row]) > std::fabs(d[largest]) ? row : largest;
    }
    own += known[largest + (d[largest] < 0 ? 3 : 0)];
  }
  if (!isFrom && !isTo)
  {
    notes.push_back(
      "its AnatomicalOrientation is " + *letters + ", but " +
      (matrix ? "by its TransformMatrix the axes are " : "it has no TransformMatrix, so that its axes are ") + own +
      ", which is taken; its place in the patient may be wrong");
  }
}

} // namespace brickccl::files
