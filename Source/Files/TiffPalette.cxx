#include "BrickCCL/Files/TiffEntries.h"
#include "BrickCCL/Files/TiffPages.h"

#include <cstddef>

namespace brickccl::files
{

namespace
{

/** Whether the colours are greys that count from black as their numbers do. Writers spread 8 bits over the 16 of a
 * colour in one of two ways, or leave them as they are. */
bool
IsGreyRamp(TIFF * tiff, const TiffPage & page)
{
  std::uint16_t * red = nullptr;
  std::uint16_t * green = nullptr;
  std::uint16_t * blue = nullptr;
  if ((page.bits != 8 && page.bits != 16) || TIFFGetField(tiff, TIFFTAG_COLORMAP, &red, &green, &blue) != 1)
  {
    return false;
  }
  const std::size_t last = (std::size_t{ 1 } << page.bits) - 1;
  const std::size_t step = page.bits == 16 || red[last] == last ? 1 : red[last] == last << 8 ? 256 : 257;
  for (std::size_t i = 0; i <= last; ++i)
  {
    if (red[i] != step * i || green[i] != red[i] || blue[i] != red[i])
    {
      return false;
    }
  }
  return true;
}

} // namespace

void
SettlePalette(TIFF * tiff, const FileBytes & file, TiffPage & page, std::vector<std::string> & notes)
{
  // libtiff tells of grey, or of red, green and blue, where there are no colours.
  const auto stated = TiffEntries(file).Find(page.place, TIFFTAG_PHOTOMETRIC);
  if (page.photometric != PHOTOMETRIC_PALETTE && stated && stated->value == PHOTOMETRIC_PALETTE)
  {
    page.photometric = PHOTOMETRIC_PALETTE;
    page.isWithoutColours = true;
    notes.push_back("it is said to have a palette (PhotometricInterpretation 3) but has no ColorMap; the voxels are "
                    "the numbers that are stored");
  }
  else if (page.photometric == PHOTOMETRIC_PALETTE && IsGreyRamp(tiff, page))
  {
    page.photometric = PHOTOMETRIC_MINISBLACK;
  }
}

} // namespace brickccl::files
