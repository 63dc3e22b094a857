// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Formats/DicomPixels.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cstddef>
#include <string>
#include <vector>

namespace brickccl::files::dicom
{

struct Fragment
{
  const unsigned char * data;
  std::size_t           size;
};

using CodedFrame = std::vector<Fragment>;

/** Finds the frames of encapsulated pixel data. \throws Error if they are cut or fewer than the header says. */
std::vector<CodedFrame> FindCodedFrames(const File & file, const PixelFormat & format);

struct FrameToDecode
{
  const CodedFrame *  coded;
  const PixelFormat * format;
  const std::string * transferSyntax;
  /** The text before errors: "slice 'a.dcm': "; empty if there is only one file. */
  std::string name;
};

/** The stored values of compressed frames, samples side by side, in the machine's byte order.
 *
 *  RLE is decoded here. GDCM decodes everything else in child processes, one for each thread. A child may abort, crash
 *  or hang: that is an error of the frame that it was decoding. */
class DecodedFrames
{
public:
  /** All frames must have the same size in bytes. \throws Error; Unsupported for other transfer syntaxes. */
  DecodedFrames(const std::vector<FrameToDecode> & frames, const HostContext & context);

  const unsigned char *
  Frame(std::size_t index) const
  {
    return m_Values.data() + index * m_FrameBytes;
  }

private:
  UninitializedVector<unsigned char> m_Values;
  std::size_t                        m_FrameBytes = 0;
};

/** For forms of JPEG 2000 that GDCM does not know. */
constexpr const char * HowToDecompress =
  "decompress them with pydicom 3 with pylibjpeg-openjpeg: ds = pydicom.dcmread(IN); ds.decompress(); ds.save_as(OUT)";

/** \throws Unsupported unless DecodeInChildren decodes the transfer syntax. */
void RequireDecoder(const std::string & transferSyntax);

/** Decodes frames with GDCM, in child processes. \throws Error that names the frame at which a child failed. */
void DecodeInChildren(const std::vector<FrameToDecode> & frames,
                      unsigned char *                    values,
                      std::size_t                        frameBytes,
                      const HostContext &                context);

} // namespace brickccl::files::dicom
