// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include <algorithm>
#include <sstream>

namespace brickccl
{

std::string
NoteOnFullImage()
{
  return "the part fills the whole image; if the scan shows air around the part, the threshold is wrong";
}

std::vector<std::string>
NotesOn(const PoresOfPart & found, const std::string & closing)
{
  // "12.4 cm3", "7.2 mm2"
  const auto size = [&](const PoresOfPart::Pieces & pieces) {
    const int          dimension = found.extent.dimension;
    const double       own = static_cast<double>(pieces.largestVoxels) * found.geometry.VoxelVolume(dimension);
    const bool         isLarge = own >= 1000 && dimension > 1;
    std::ostringstream text;
    text.precision(4);
    text << (isLarge ? own / (dimension == 2 ? 100 : 1000) : own) << (isLarge ? " cm" : " mm");
    text << (dimension > 1 ? std::to_string(dimension) : "");
    return text.str();
  };
  const auto largest = [&](const PoresOfPart::Pieces & pieces) {
    return (pieces.count == 1 ? " (" : " (the largest of ") + Counted(pieces.largestVoxels, "voxel") + ", " +
           size(pieces) + ')';
  };
  std::vector<std::string> notes;
  if (found.fillsImage)
  {
    notes.push_back(NoteOnFullImage());
  }
  if (found.furtherPieces.count > 0)
  {
    const bool        isOne = found.furtherPieces.count == 1;
    const std::size_t parts = found.furtherPieces.count + std::max<std::size_t>(1, found.voxelsOfParts.size());
    const std::string all = closing == "part.close_mm" ? "part.parts = \"all\" takes " : "--parts all takes ";
    notes.push_back(Counted(found.furtherPieces.count, "further piece") + " of " + (isOne ? "" : "up to ") +
                    size(found.furtherPieces) + (isOne ? " was" : " were") + " left out; " +
                    (parts > MaximumParts ? "at most " + std::to_string(MaximumParts) + " can be parts"
                                          : all + (isOne ? "it" : "them")));
  }
  if (found.openings.count > 0)
  {
    const bool         isOne = found.openings.count == 1;
    std::ostringstream text;
    text.precision(4);
    text << found.openings.count << (isOne ? " crack or cavity" : " cracks or cavities") << largest(found.openings)
         << (isOne ? " is" : " are") << " open to the outside through gaps of up to " << found.openingWidth
         << " mm and " << (isOne ? "counts" : "count") << " as outside, not as pores; " << closing
         << " closes such gaps";
    notes.push_back(text.str());
  }
  if (found.bores > 0)
  {
    notes.push_back(Counted(found.bores, "bore") + " of " + Counted(found.boreVoxels, "voxel") +
                    (found.bores == 1 ? " runs" : " run") + " straight through the image and count" +
                    (found.bores == 1 ? "s" : "") + " as outside, not as pores");
  }
  return notes;
}

} // namespace brickccl
