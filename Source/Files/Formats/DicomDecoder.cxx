// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomDecoder.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/Formats/DicomScanner.h"

#include <algorithm>

namespace brickccl::files::dicom
{

namespace
{

std::int64_t
Big(const unsigned char * at, int bytes)
{
  std::int64_t value = 0;
  for (int i = 0; i < bytes; ++i)
  {
    value = value << 8 | at[i];
  }
  return value;
}

/** The properties of an image that its compressed bytes state. */
struct Codestream
{
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t samples = 0;
  std::int64_t bits = 0;
};

/** Reads the header of a JPEG (also lossless and LS) or JPEG 2000 stream. */
Codestream
ReadCodestream(const Fragment & fragment)
{
  const unsigned char * const data = fragment.data;
  const std::size_t           size = fragment.size;
  if (size >= 43 && Big(data, 4) == 0xFF4FFF51)
  {
    return { Big(data + 12, 4) - Big(data + 20, 4),
             Big(data + 8, 4) - Big(data + 16, 4),
             Big(data + 40, 2),
             (data[42] & 0x7F) + 1 };
  }
  ThrowIf<Unsupported>(size >= 8 && Big(data + 4, 4) == 0x6A502020,
                       "its compressed pixel data are a JP2 file, where DICOM has the bare JPEG 2000 codestream; " +
                         std::string(HowToDecompress));
  ThrowIf(size < 4 || Big(data, 2) != 0xFFD8,
          "its compressed pixel data do not begin like JPEG or JPEG 2000: they are damaged");
  for (std::size_t at = 2; at + 4 <= size && data[at] == 0xFF;)
  {
    const unsigned marker = data[at + 1];
    if (marker == 0xFF)
    {
      ++at;
      continue;
    }
    const bool isFrame =
      (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) || marker == 0xF7;
    if (isFrame && at + 10 <= size)
    {
      return { Big(data + at + 5, 2), Big(data + at + 7, 2), data[at + 9], data[at + 4] };
    }
    at += 2 + static_cast<std::size_t>(Big(data + at + 2, 2));
  }
  throw Error("its compressed pixel data have no JPEG frame header: they are damaged");
}

/** Whether the bytes end with the marker of an image's end. Zeros that fill them up may follow. */
bool
EndsStream(const CodedFrame & coded)
{
  unsigned char last[2] = { 0, 0 };
  int           found = 0;
  for (auto fragment = coded.rbegin(); fragment != coded.rend() && found < 2; ++fragment)
  {
    for (std::size_t i = fragment->size; i > 0 && found < 2; --i)
    {
      const unsigned char byte = fragment->data[i - 1];
      if (found > 0 || byte != 0)
      {
        last[found++] = byte;
      }
    }
  }
  return last[0] == 0xD9 && last[1] == 0xFF;
}

void
CheckCodestream(const FrameToDecode & frame)
{
  const PixelFormat & format = *frame.format;
  std::size_t         bytes = 0;
  if (*frame.transferSyntax != RleSyntax)
  {
    RequireDecoder(*frame.transferSyntax);
  }
  for (const Fragment & fragment : *frame.coded)
  {
    bytes += fragment.size;
  }
  ThrowIf(bytes == 0, "its compressed pixel data are empty");
  constexpr std::size_t maximumRatio = 20000;
  constexpr std::size_t harmless = std::size_t{ 1 } << 24;
  ThrowIf(format.BytesOfFrame() > harmless && format.BytesOfFrame() / maximumRatio > bytes,
          "its header says " + std::to_string(format.columns) + " x " + std::to_string(format.rows) +
            " pixels, but its compressed pixel data have only " + std::to_string(bytes) + " bytes");
  if (*frame.transferSyntax == RleSyntax)
  {
    return;
  }
  const Codestream stream = ReadCodestream(frame.coded->front());
  ThrowIf(!EndsStream(*frame.coded), "its compressed pixel data are truncated: the end marker FFD9 is missing");
  ThrowIf(stream.rows != format.rows || stream.columns != format.columns || stream.samples != format.samples,
          "its header says " + std::to_string(format.columns) + " x " + std::to_string(format.rows) + " pixels of " +
            std::to_string(format.samples) + " samples, but its compressed pixel data hold " +
            std::to_string(stream.columns) + " x " + std::to_string(stream.rows) + " of " +
            std::to_string(stream.samples));
  ThrowIf<Unsupported>((stream.bits <= 8) != (format.bitsAllocated == 8) || stream.bits > format.bitsAllocated,
                       "its compressed values have " + std::to_string(stream.bits) + " bits, but BitsAllocated is " +
                         std::to_string(format.bitsAllocated) + ", which is not supported");
}

/** Decodes PackBits into every `step`-th byte of `values`. */
void
DecodeRleSegment(const unsigned char * at,
                 const unsigned char * end,
                 std::size_t           count,
                 std::size_t           step,
                 unsigned char *       values)
{
  std::size_t done = 0;
  while (done < count)
  {
    if (at == end)
    {
      throw Error("its RLE pixel data are truncated or damaged: a segment ends after " + std::to_string(done) + " of " +
                  std::to_string(count) + " bytes");
    }
    const unsigned control = *at++;
    if (control == 128)
    {
      continue;
    }
    const bool        repeats = control > 128;
    const std::size_t length = repeats ? 257 - control : control + 1;
    const std::size_t taken = std::min(length, count - done);
    if (static_cast<std::size_t>(end - at) < (repeats ? 1 : taken))
    {
      throw Error("its RLE pixel data are truncated or damaged: a run of " + std::to_string(length) +
                  " bytes goes past their end");
    }
    for (std::size_t i = 0; i < taken; ++i)
    {
      values[(done + i) * step] = repeats ? *at : at[i];
    }
    at += repeats ? 1 : taken;
    done += taken;
  }
}

/** Decodes RLE (PS3.5 annex G): a frame is one fragment, with a segment for each byte of a sample, highest first. */
void
DecodeRle(const FrameToDecode & frame, unsigned char * values)
{
  const PixelFormat & format = *frame.format;
  const Fragment &    bytes = frame.coded->front();
  const auto          perSample = static_cast<std::size_t>(format.bitsAllocated / 8);
  const auto          samples = static_cast<std::size_t>(format.samples);
  const std::size_t   segments = perSample * samples;
  ThrowIf(bytes.size < 64 || Load<std::uint32_t>(bytes.data) != segments,
          "its RLE pixel data are damaged: they have " +
            (bytes.size < 64 ? "no" : std::to_string(Load<std::uint32_t>(bytes.data))) + " segments instead of " +
            std::to_string(segments));
  for (std::size_t segment = 0; segment < segments; ++segment)
  {
    const std::size_t begin = Load<std::uint32_t>(bytes.data + 4 + 4 * segment);
    const std::size_t end = segment + 1 < segments ? Load<std::uint32_t>(bytes.data + 8 + 4 * segment) : bytes.size;
    ThrowIf(begin < 64 || begin > end || end > bytes.size,
            "its RLE pixel data are damaged: segment " + std::to_string(segment + 1) + " is at " +
              std::to_string(begin) + " of " + std::to_string(bytes.size) + " bytes");
    const std::size_t sample = segment / perSample;
    const std::size_t byte = perSample - 1 - segment % perSample;
    DecodeRleSegment(bytes.data + begin,
                     bytes.data + end,
                     static_cast<std::size_t>(format.PixelsOfFrame()),
                     segments,
                     values + sample * perSample + byte);
  }
}

} // namespace

std::vector<CodedFrame>
FindCodedFrames(const File & file, const PixelFormat & format)
{
  std::vector<Fragment>              fragments;
  std::vector<const unsigned char *> starts;
  const unsigned char *              at = file.pixels->data;
  const unsigned char * const        end = at + file.pixels->size;
  const unsigned char *              first = nullptr;
  Fragment                           offsets{ nullptr, 0 };
  while (end - at >= 8)
  {
    const std::uint32_t tag = Load<std::uint32_t>(at);
    const std::size_t   length = Load<std::uint32_t>(at + 4);
    if (tag == 0xE0DDFFFE)
    {
      break;
    }
    ThrowIf(tag != 0xE000FFFE,
            "its compressed pixel data are damaged: no fragment begins at byte " +
              std::to_string(at - file.bytes.Data()));
    ThrowIf(static_cast<std::size_t>(end - at) - 8 < length,
            "its compressed pixel data are truncated: a fragment of " + std::to_string(length) + " bytes has only " +
              std::to_string(end - at - 8));
    if (first == nullptr)
    {
      offsets = { at + 8, length };
      first = at + 8 + length;
    }
    else
    {
      fragments.push_back({ at + 8, length });
      starts.push_back(at);
    }
    at += 8 + length;
  }
  const auto              count = static_cast<std::size_t>(format.frames);
  std::vector<CodedFrame> frames;
  ThrowIf(fragments.size() < count || (fragments.size() > count && file.transferSyntax == RleSyntax),
          "its compressed pixel data have " + Counted(fragments.size(), "fragment") + " for " +
            Counted(count, "frame"));
  const bool  hasOffsets = offsets.size / 4 == count && offsets.size % 4 == 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < fragments.size(); ++i)
  {
    bool begins = i == 0 || fragments.size() == count;
    if (!begins)
    {
      const auto & [data, size] = fragments[i];
      const bool beginsStream = (size >= 2 && Big(data, 2) == 0xFFD8) || (size >= 4 && Big(data, 4) == 0xFF4FFF51);
      begins = hasOffsets && count > 1
               ? next < count && starts[i] - first == Load<std::uint32_t>(offsets.data + 4 * next)
               : beginsStream;
    }
    if (begins)
    {
      frames.emplace_back();
      ++next;
    }
    frames.back().push_back(fragments[i]);
  }
  ThrowIf(frames.size() != count,
          "its compressed pixel data hold " + Counted(frames.size(), "frame") + " instead of " + std::to_string(count));
  return frames;
}

DecodedFrames::DecodedFrames(const std::vector<FrameToDecode> & frames, const HostContext & context)
{
  if (frames.empty())
  {
    return;
  }
  m_FrameBytes = frames[0].format->BytesOfFrame();
  std::vector<FrameToDecode> ofGdcm;
  for (const FrameToDecode & frame : frames)
  {
    WithContext(frame.name, [&] { CheckCodestream(frame); });
    if (*frame.transferSyntax != RleSyntax)
    {
      ofGdcm.push_back(frame);
    }
  }
  ThrowIf<Unsupported>(!ofGdcm.empty() && ofGdcm.size() != frames.size(),
                       "some of its slices are compressed by RLE and some otherwise, which is not supported");
  m_Values = MakeUnset<unsigned char>(m_FrameBytes * frames.size());
  if (!ofGdcm.empty())
  {
    DecodeInChildren(ofGdcm, m_Values.data(), m_FrameBytes, context);
    return;
  }
  ParallelFor(static_cast<std::int64_t>(frames.size()), context, [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    WithContext(frames[index].name, [&] { DecodeRle(frames[index], m_Values.data() + index * m_FrameBytes); });
  });
}

} // namespace brickccl::files::dicom
