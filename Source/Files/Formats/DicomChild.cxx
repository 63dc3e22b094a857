// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomDecoder.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"

#include <algorithm>
#include <cstring>
#include <memory>

// GDCM runs in child processes.
#ifdef BRICKCCL_USE_GDCM
#  ifdef __linux__
#    include <sys/mman.h>
#    include <unistd.h>
#  endif
#  include <gdcmBitmap.h>
#  include <gdcmSequenceOfFragments.h>
#endif

namespace brickccl::files::dicom
{

#ifdef BRICKCCL_USE_GDCM

namespace
{

void
DecodeFrame(const FrameToDecode & frame, unsigned char * values, std::size_t bytes)
{
  const PixelFormat & format = *frame.format;
  gdcm::Bitmap        image;
  image.SetNumberOfDimensions(2);
  image.SetDimension(0, static_cast<unsigned>(format.columns));
  image.SetDimension(1, static_cast<unsigned>(format.rows));
  image.SetPixelFormat(gdcm::PixelFormat(static_cast<unsigned short>(format.samples),
                                         static_cast<unsigned short>(format.bitsAllocated),
                                         static_cast<unsigned short>(format.bitsStored),
                                         static_cast<unsigned short>(format.highBit),
                                         format.isSigned ? 1 : 0));
  image.SetPhotometricInterpretation(
    gdcm::PhotometricInterpretation(gdcm::PhotometricInterpretation::GetPIType(format.photometric.c_str())));
  image.SetTransferSyntax(gdcm::TransferSyntax(gdcm::TransferSyntax::GetTSType(frame.transferSyntax->c_str())));
  gdcm::SmartPointer<gdcm::SequenceOfFragments> fragments = new gdcm::SequenceOfFragments;
  for (const Fragment & coded : *frame.coded)
  {
    gdcm::Fragment fragment;
    fragment.SetByteValue(reinterpret_cast<const char *>(coded.data), gdcm::VL(static_cast<std::uint32_t>(coded.size)));
    fragments->AddFragment(fragment);
  }
  gdcm::DataElement element(gdcm::Tag(0x7FE0, 0x0010));
  element.SetValue(*fragments);
  image.SetDataElement(element);
  ThrowIf(image.GetBufferLength() != bytes,
          "GDCM takes them for " + std::to_string(image.GetBufferLength()) + " bytes instead of " +
            std::to_string(bytes));
  ThrowIf(!image.GetBuffer(reinterpret_cast<char *>(values)), "GDCM cannot decode them");
}

/** This process's output to standard error, where libjpeg reports damage without stopping. Testing/install-mingw.sh
 * makes the one for Windows stop. */
class Complaints
{
public:
  Complaints()
  {
#  ifdef __linux__
    m_File = ::memfd_create("complaints", 0);
    ::dup2(m_File, STDERR_FILENO);
#  endif
  }

  /** \throws Error for damage that has been reported. */
  void
  Check() const
  {
#  ifdef __linux__
    char text[4096] = {};
    if (m_File >= 0 && ::pread(m_File, text, sizeof(text) - 1, 0) > 0)
    {
      for (const char * const told : { "Corrupt JPEG", "Premature end", "Bogus" })
      {
        ThrowIf(std::strstr(text, told) != nullptr, std::string(text).substr(0, std::string(text).find('\n')));
      }
    }
#  endif
  }

private:
#  ifdef __linux__
  int m_File = -1;
#  endif
};

} // namespace

void
RequireDecoder(const std::string & transferSyntax)
{
  const auto syntax = gdcm::TransferSyntax::GetTSType(transferSyntax.c_str());
  if (syntax == gdcm::TransferSyntax::TS_END || syntax < gdcm::TransferSyntax::JPEGBaselineProcess1 ||
      syntax >= gdcm::TransferSyntax::MPEG2MainProfile)
  {
    // 201 to 203.
    const bool isHighThroughput = transferSyntax.rfind("1.2.840.10008.1.2.4.20", 0) == 0;
    throw Unsupported("its pixel data are compressed by transfer syntax " + transferSyntax +
                      (isHighThroughput ? " (HTJ2K), which is not supported; " + std::string(HowToDecompress)
                                        : ", which is not supported; decompress them with a program that supports it"));
  }
}

void
DecodeInChildren(const std::vector<FrameToDecode> & frames,
                 unsigned char *                    values,
                 std::size_t                        frameBytes,
                 const HostContext &                context)
{
  const auto  count = std::min(frames.size(), static_cast<std::size_t>(EffectiveThreadCount(context.threads)));
  std::size_t done = 0;
  const auto  tell = [&] { context.progress.Update(static_cast<double>(done) / static_cast<double>(frames.size())); };
  // Every `count`-th frame.
  const auto decode = [&](std::size_t first, const PipedChild::Send & send) {
    const Complaints           complaints;
    std::vector<unsigned char> decoded(frameBytes);
    for (std::size_t i = first; i < frames.size(); i += count)
    {
      DecodeFrame(frames[i], decoded.data(), frameBytes);
      complaints.Check();
      send(decoded.data(), frameBytes);
    }
  };
  const auto                               seconds = static_cast<unsigned>(60 + frameBytes / 1000000);
  std::vector<std::unique_ptr<PipedChild>> children;
  for (std::size_t first = 0; first < count; ++first)
  {
    children.push_back(std::make_unique<PipedChild>(
      "GDCM",
      [&, first](const PipedChild::Send & send) { decode(first, send); },
      (std::size_t{ 1 } << 30) + 64 * frameBytes,
      seconds,
      tell));
  }
  for (; done < frames.size(); ++done)
  {
    tell();
    WithContext(frames[done].name + "its compressed pixel data are damaged or of an unusual kind: ",
                [&] { children[done % count]->Receive(values + done * frameBytes, frameBytes); });
  }
}

#else

void
RequireDecoder(const std::string & transferSyntax)
{
  throw Unsupported("its pixel data are compressed by transfer syntax " + transferSyntax +
                    ", which this program cannot decode because it was built without GDCM");
}

void
DecodeInChildren(const std::vector<FrameToDecode> &, unsigned char *, std::size_t, const HostContext &)
{}

#endif

} // namespace brickccl::files::dicom
