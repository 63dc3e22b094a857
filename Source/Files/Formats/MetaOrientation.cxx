#include "BrickCCL/Files/Formats/MetaOrientation.h"

#include <cmath>
#include <string_view>

namespace brickccl::files
{

namespace
{

/** The letters of three axes, each for another axis of the patient: the nearest pair comes first. */
std::string
LettersOf(const double (&directions)[3][3], std::string_view known)
{
  std::string letters(3, '?');
  bool        isTaken[3] = {};
  for (int i = 0; i < 3; ++i)
  {
    std::size_t axis = 0;
    std::size_t row = 0;
    double      most = -1;
    for (std::size_t k = 0; k < 9; ++k)
    {
      if (letters[k / 3] == '?' && !isTaken[k % 3] && std::fabs(directions[k / 3][k % 3]) > most)
      {
        axis = k / 3;
        row = k % 3;
        most = std::fabs(directions[axis][row]);
      }
    }
    letters[axis] = known[row + (directions[axis][row] < 0 ? 3 : 0)];
    isTaken[row] = true;
  }
  return letters;
}

} // namespace

void
NoteAnatomicalOrientation(const std::string *                        letters,
                          std::size_t                                dimension,
                          const std::optional<std::vector<double>> & matrix,
                          std::vector<std::string> &                 notes)
{
  // The letters an axis starts from if it runs to the left, posterior or superior; then the opposite ones.
  constexpr std::string_view known = "RAILPS";
  if (letters == nullptr || letters->size() != 3 || letters->find_first_not_of(known) != std::string::npos ||
      dimension < 3)
  {
    return;
  }
  // An oblique axis may have the letter of any axis of the patient that is less than 90 degrees away: each letter
  // belongs to one axis, so not every axis has the nearest one.
  constexpr double nearest = 1e-3;
  bool             isFrom = true;
  bool             isTo = true;
  double           directions[3][3] = {};
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    double * const d = directions[axis];
    for (std::size_t row = 0; row < 3; ++row)
    {
      d[row] = matrix ? (*matrix)[axis * dimension + row] : row == axis ? 1 : 0;
    }
    const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const auto   place = known.find((*letters)[axis]);
    const double along = (place < 3 ? 1 : -1) * d[place % 3] / length;
    isFrom = isFrom && along > nearest;
    isTo = isTo && along < -nearest;
  }
  if (!isFrom && !isTo)
  {
    notes.push_back("its AnatomicalOrientation is " + *letters + ", but " +
                    (matrix ? "by its TransformMatrix the axes are " : "it has no TransformMatrix, so its axes are ") +
                    LettersOf(directions, known) + ", which is used; its position in the patient may be wrong");
  }
}

} // namespace brickccl::files
