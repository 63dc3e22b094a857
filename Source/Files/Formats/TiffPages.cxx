// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/TiffPages.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Codecs/Inflate.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace brickccl::files
{

namespace
{

struct TiffEntry
{
  std::uint64_t count = 0;
  /** The first value, or, where the values do not fit into the entry, the place where they begin. */
  std::uint64_t value = 0;
};

/** The directories of a TIFF file as they are stored. libtiff does not report all tags, and replaces dubious ones. */
class TiffEntries
{
public:
  /** \throws Error for files without a header, as all members do beyond the end of the file. */
  explicit TiffEntries(const FileBytes & file)
    : m_File(file)
  {
    file.Require(0, 8);
    m_IsBigEndian = file.Data()[0] == 'M';
    m_IsBig = file.Data()[m_IsBigEndian ? 3 : 2] == 43;
  }

  std::uint64_t
  Number(std::uint64_t at, std::size_t size) const
  {
    return m_File.Number(at, size, m_IsBigEndian);
  }

  /** The entry with this tag in the directory at `place`, if there is one. */
  std::optional<TiffEntry> Find(std::uint64_t place, std::uint64_t tag) const;

private:
  const FileBytes & m_File;
  bool              m_IsBigEndian = false;
  bool              m_IsBig = false;
};

std::optional<TiffEntry>
TiffEntries::Find(std::uint64_t place, std::uint64_t tag) const
{
  constexpr std::uint64_t typeOfShorts = 3;
  const std::uint64_t     entries = Number(place, m_IsBig ? 8 : 2);
  const std::uint64_t     entrySize = m_IsBig ? 20 : 12;
  std::uint64_t           entry = place + (m_IsBig ? 8 : 2);
  for (std::uint64_t i = 0; i < entries; ++i, entry += entrySize)
  {
    if (Number(entry, 2) == tag)
    {
      const std::uint64_t count = Number(entry + 4, m_IsBig ? 8 : 4);
      const bool          isShort = Number(entry + 2, 2) == typeOfShorts && count == 1;
      return TiffEntry{ count, Number(entry + (m_IsBig ? 12 : 8), isShort ? 2 : m_IsBig ? 8 : 4) };
    }
  }
  return std::nullopt;
}

/** \throws Unsupported for files of microscopes whose pages need more than TIFF: stacks of MetaMorph with one directory
 *  for all planes, and files of Zeiss.
 *  \param place  of the first directory  \param pages  that are not reduced images */
void
CheckMicroscope(const FileBytes & file, std::uint64_t place, std::size_t pages)
{
  // UIC2Tag, which has a value for each plane, and CZ_LSMINFO.
  constexpr std::uint64_t tagOfMetaMorph = 33629;
  constexpr std::uint64_t tagOfZeiss = 34412;
  const TiffEntries       entries(file);
  const auto              planes = entries.Find(place, tagOfMetaMorph);
  if (planes && planes->count > 1 && planes->count != pages)
  {
    throw Unsupported("it is a MetaMorph stack (.stk) of " + std::to_string(planes->count) + " planes in " +
                      Counted(pages, "page") + "; save it with one page a slice");
  }
  ThrowIf<Unsupported>(entries.Find(place, tagOfZeiss).has_value(),
                       "it is a Zeiss image (.lsm), whose pages may be channels, points in time or positions; save its "
                       "slices as OME-TIFF");
}

std::string
SizeText(const TiffPage & page)
{
  return std::to_string(page.width) + " x " + std::to_string(page.height);
}

std::string
TypeText(const TiffPage & page)
{
  static const char * const formats[] = { "", "unsigned", "signed", "floating-point" };
  return std::to_string(page.bits) + "-bit " + formats[page.format] + ", " + std::to_string(page.samples) +
         (page.samples == 1 ? " sample" : " samples") + " per pixel, photometric " + std::to_string(page.photometric);
}

/** \throws Error for an uncompressed strip that is shorter than its page: libtiff would read on behind it. */
void
CheckOnlyStrip(const FileBytes & file, const TiffPage & page)
{
  if (page.compression != COMPRESSION_NONE || page.isTiled || page.Blocks() != 1)
  {
    return;
  }
  const std::uint64_t size = page.BlockRowBytes() * page.height;
  const auto          stated = TiffEntries(file).Find(page.place, TIFFTAG_STRIPBYTECOUNTS);
  // A size of 0 means that the writer did not know it.
  if (stated && stated->count == 1 && stated->value > 0 && stated->value < size)
  {
    throw Error("a page has a strip of " + std::to_string(stated->value) + " bytes instead of " + std::to_string(size) +
                ": the file is damaged");
  }
}

/** The largest number of bytes that can be decoded from `size` bytes. */
std::uint64_t
MaximumDecodedSize(std::uint16_t compression, std::uint64_t size)
{
  switch (compression)
  {
  case COMPRESSION_NONE:
    return size;
  case COMPRESSION_ADOBE_DEFLATE:
  case COMPRESSION_DEFLATE:
    return MaximumInflatedSize(size);
  case COMPRESSION_PACKBITS:
    return 64 * size;
  case COMPRESSION_LZW:
    return 4096 * size;
  default:
    return 100000 * size + (std::uint64_t{ 1 } << 24);
  }
}

void
FindChannels(TIFF * tiff, TiffPage & page, std::vector<std::string> & notes)
{
  std::uint16_t   extraCount = 0;
  std::uint16_t * extras = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extraCount, &extras);
  const bool isColor = page.photometric == PHOTOMETRIC_RGB || page.photometric == PHOTOMETRIC_YCBCR;
  const int  values = page.samples - std::min(extraCount, page.samples);
  for (int sample = 0; sample < page.samples; ++sample)
  {
    bool isAlpha = false;
    if (sample >= values && extras != nullptr)
    {
      const std::uint16_t kind = extras[sample - values];
      // A fourth sample of unknown meaning after a color counts as alpha if it is the only one, as in libtiff itself.
      isAlpha = kind == EXTRASAMPLE_ASSOCALPHA || kind == EXTRASAMPLE_UNASSALPHA || (isColor && page.samples == 4);
    }
    else if (extraCount == 0)
    {
      isAlpha = isColor && page.samples == 4 && sample == 3;
    }
    if (!isAlpha)
    {
      page.channels.push_back(static_cast<std::uint16_t>(sample));
    }
  }
  ThrowIf<Unsupported>(page.channels.empty(), "all samples of a pixel are alpha; at least one must be a value");
  NoteIf(page.channels.size() < page.samples,
         "the alpha channel is ignored; " + std::to_string(page.channels.size()) +
           (page.channels.size() == 1 ? " channel is read" : " channels are read"),
         notes);
}

void
CheckKind(TIFF * tiff, const TiffPage & page)
{
  ThrowIf<Unsupported>(page.format < SAMPLEFORMAT_UINT || page.format > SAMPLEFORMAT_IEEEFP,
                       "its samples have the format " + std::to_string(page.format) +
                         " (complex numbers, perhaps); whole and floating-point numbers are read");
  const bool isFloat = page.format == SAMPLEFORMAT_IEEEFP;
  ThrowIf<Unsupported>(page.bits == 1 ? page.format != SAMPLEFORMAT_UINT
                                      : !page.IsWholeBytes() || (page.bits == 8 && isFloat),
                       "its samples have " + std::to_string(page.bits) + " bits; " +
                         (isFloat ? "floating-point numbers of 16, 32 and 64 bits are read: convert it to 32 bits"
                                  : "1 (unsigned), 8, 16, 32 and 64 bits are read: convert it to 16 or 32 bits"));
  ThrowIf<Unsupported>(page.compression == COMPRESSION_OJPEG || page.compression == COMPRESSION_PIXARLOG,
                       "it is compressed by old-style JPEG or PixarLog, which the TIFF library may get wrong; save it "
                       "again, with deflate");
  ThrowIf<Unsupported>(page.photometric == PHOTOMETRIC_LOGL || page.photometric == PHOTOMETRIC_LOGLUV,
                       "its pixels are logarithmic luminances (SGI LogLuv); save it as floating-point numbers");
  ThrowIf<Unsupported>(page.photometric == PHOTOMETRIC_YCBCR && page.compression != COMPRESSION_JPEG,
                       "its pixels are YCbCr but not JPEG-compressed; save it as RGB or gray");
  ThrowIf<Unsupported>(!TIFFIsCODECConfigured(page.compression),
                       "its compression has the number " + std::to_string(page.compression) +
                         ", which this libtiff lacks; save it with deflate");
  std::uint32_t depth = 1;
  const bool    isDeep = TIFFGetField(tiff, TIFFTAG_IMAGEDEPTH, &depth) == 1 && depth > 1;
  ThrowIf<Unsupported>(isDeep, "a page has the depth " + std::to_string(depth) + "; save one page per slice");
}

/** Sets the size of a page's strips or tiles. \throws Error unless they and the file's size fit the page's. */
void
SetBlocks(TIFF * tiff, const FileBytes & file, TiffPage & page)
{
  if (page.isTiled)
  {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &page.blockWidth);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &page.blockHeight);
  }
  else
  {
    page.blockWidth = page.width;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &page.blockHeight);
    page.blockHeight = std::min(page.blockHeight, page.height);
  }
  ThrowIf(page.blockWidth == 0 || page.blockHeight == 0, "its strips or tiles have no pixels: the file is damaged");
  const double blocks = static_cast<double>(page.BlocksAcross()) * page.BlocksDown() * page.samples;
  const auto   blockBytes = static_cast<double>(page.BlockRowBytes()) * page.blockHeight;
  // Tiles may be larger than a small page.
  const double pageBytes = static_cast<double>(page.width) * page.height * page.samples * page.bits / 8;
  const double limit = static_cast<double>(MaximumDecodedSize(page.compression, file.Size()));
  ThrowIf(blocks > 4e9 || blockBytes > 2e9 || pageBytes > limit || blockBytes > std::max(limit, 1e6) ||
            blocks > static_cast<double>(file.Size()),
          "a page has " + SizeText(page) + " pixels of " + TypeText(page) + " but the file only " +
            std::to_string(file.Size()) + " bytes: it is truncated or its header damaged");
  ThrowIf(page.Blocks() != (page.isTiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff)),
          "the number of its strips or tiles does not fit its size: the file is damaged");
}

TiffPage
ReadPage(const TiffHandle & handle, const FileBytes & file, std::vector<std::string> & notes)
{
  TIFF * const tiff = handle.Get();
  TiffPage     page;
  page.place = TIFFCurrentDirOffset(tiff);
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page.height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page.samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page.format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &page.orientation);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page.compression);
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &page.photometric) != 1)
  {
    page.photometric = PHOTOMETRIC_MINISBLACK;
  }
  page.format = page.format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : page.format;
  std::uint16_t planar = PLANARCONFIG_CONTIG;
  std::uint16_t fill = FILLORDER_MSB2LSB;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &fill);
  page.isSeparate = planar == PLANARCONFIG_SEPARATE && page.samples > 1;
  page.isFillReversed = fill == FILLORDER_LSB2MSB;
  page.isTiled = TIFFIsTiled(tiff) != 0;
  ThrowIf(page.width == 0 || page.height == 0 || page.samples == 0,
          "a page has " + SizeText(page) + " pixels; there must be at least one");
  ThrowIf<Unsupported>(page.orientation < ORIENTATION_TOPLEFT || page.orientation > ORIENTATION_BOTLEFT,
                       "its orientation is " + std::to_string(page.orientation) +
                         "; 1 to 4 are read: turn its pages by a quarter, and save them so");
  CheckKind(tiff, page);
  PrepareDecoding(tiff, page.compression, page.photometric);
  const bool mayHavePredictor = page.compression == COMPRESSION_LZW || page.compression == COMPRESSION_ADOBE_DEFLATE ||
                                page.compression == COMPRESSION_DEFLATE || page.compression == COMPRESSION_ZSTD ||
                                page.compression == COMPRESSION_LZMA;
  // libtiff reports the predictor only under compressions whose decoder undoes it.
  const auto predictor = TiffEntries(file).Find(page.place, TIFFTAG_PREDICTOR);
  page.hasPredictor = predictor && predictor->value != PREDICTOR_NONE;
  if (page.hasPredictor && !(mayHavePredictor && page.IsWholeBytes()))
  {
    throw Unsupported("its samples of " + std::to_string(page.bits) + " bits are differences (predictor " +
                      std::to_string(predictor->value) + ") under compression " + std::to_string(page.compression) +
                      ", which the TIFF library does not undo; save it without a predictor");
  }
  SetBlocks(tiff, file, page);
  CheckOnlyStrip(file, page);
  FindChannels(tiff, page, notes);
  return page;
}

/** \throws Error unless a page continues the volume that the first one begins. */
void
CheckAlike(const TiffPage & first, const TiffPage & page, std::size_t number)
{
  const std::string name = "page " + std::to_string(number + 1);
  ThrowIf(page.width != first.width || page.height != first.height,
          name + " has " + SizeText(page) + " pixels but page 1 has " + SizeText(first) +
            "; all pages of a volume must have the same size");
  ThrowIf(page.bits != first.bits || page.samples != first.samples || page.format != first.format ||
            page.photometric != first.photometric || page.channels != first.channels,
          name + " is " + TypeText(page) + " but page 1 is " + TypeText(first) +
            "; all pages of a volume must have the same type");
  ThrowIf(page.orientation != first.orientation,
          name + " has the orientation " + std::to_string(page.orientation) + " but page 1 has " +
            std::to_string(first.orientation) + "; all pages of a volume must have the same");
}

/** Pixels per unit along x and y; 0 if the current page does not say. */
TiffResolution
ReadResolution(TIFF * tiff, const FileBytes & file)
{
  TiffResolution resolution;
  float          x = 0;
  float          y = 0;
  if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) == 1 && TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) == 1 && x > 0 &&
      y > 0 && std::isfinite(x) && std::isfinite(y))
  {
    resolution.x = x;
    resolution.y = y;
  }
  // libtiff takes numbers that TIFF does not have for none.
  if (const auto stated = TiffEntries(file).Find(TIFFCurrentDirOffset(tiff), TIFFTAG_RESOLUTIONUNIT))
  {
    resolution.unit = stated->value;
    resolution.hasUnit = true;
  }
  return resolution;
}

void
ReadDescription(TIFF * tiff, const FileBytes & file, TiffPages & found)
{
  const char * text = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) == 1 && text != nullptr)
  {
    found.description = text;
  }
  found.resolution = ReadResolution(tiff, file);
}

} // namespace

double
TiffResolution::Millimeters() const
{
  // 4 and 5 are not units of TIFF, but tifffile and others write them.
  constexpr double sizes[] = { 0, 0, 25.4, 10, 1, 1e-3 };
  return unit < std::size(sizes) ? sizes[unit] : 0;
}

ScalarType
TiffPage::Type() const
{
  return format != SAMPLEFORMAT_IEEEFP
         ? IntegerType(bits == 1 ? 1 : bits / std::size_t{ 8 }, format == SAMPLEFORMAT_INT)
       : bits == 64 ? ScalarType::Float64
                    : ScalarType::Float32;
}

void
PrepareDecoding(TIFF * tiff, std::uint16_t compression, std::uint16_t photometric)
{
  if (compression == COMPRESSION_JPEG && photometric == PHOTOMETRIC_YCBCR)
  {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
}

TiffPages
ReadTiffPages(const FileBytes & file)
{
  TiffHandle  handle(file);
  TiffPages   found;
  std::size_t skipped = 0;
  bool        isLossy = false;
  double      bytes = 0;
  for (bool isFirst = true;; isFirst = false)
  {
    handle.FailIf(handle.HasError(), "a TIFF directory is damaged");
    if (isFirst)
    {
      ReadDescription(handle.Get(), file, found);
    }
    std::uint32_t subfile = 0;
    TIFFGetFieldDefaulted(handle.Get(), TIFFTAG_SUBFILETYPE, &subfile);
    if ((subfile & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0)
    {
      ++skipped;
    }
    else
    {
      std::vector<std::string> notes;
      const TiffPage           page = ReadPage(handle, file, notes);
      if (found.pages.empty())
      {
        found.notes = notes;
      }
      else
      {
        CheckAlike(found.pages.front(), page, found.pages.size());
      }
      isLossy = isLossy || page.compression == COMPRESSION_JPEG;
      bytes += static_cast<double>(page.width) * page.height * page.samples * page.bits / 8;
      ThrowIf(bytes > static_cast<double>(MaximumDecodedSize(page.compression, file.Size())) * 2,
              "its pages hold more pixels than " + std::to_string(file.Size()) +
                " bytes can: the file is truncated or damaged");
      found.pages.push_back(page);
    }
    if (TIFFLastDirectory(handle.Get()) != 0)
    {
      break;
    }
    handle.FailIf(TIFFReadDirectory(handle.Get()) != 1,
                  "the TIFF directory after page " + std::to_string(found.pages.size()) + " is damaged");
  }
  ThrowIf(found.pages.empty(), "it holds only reduced images or masks; there must be a page that is an image");
  CheckMicroscope(file, found.pages.front().place, found.pages.size());
  NoteIf(skipped > 0, Counted(skipped, "page") + " of reduced images or transparency masks left out", found.notes);
  NoteIf(isLossy, "JPEG compression is lossy: values near edges differ from the original", found.notes);
  return found;
}

} // namespace brickccl::files
