// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_DICOMCHILD_H
#define BRICKCCL_FILES_FORMATS_DICOMCHILD_H

#include "BrickCCL/Files/Formats/DicomDecoder.h"

#include <cstddef>
#include <string>
#include <vector>

namespace brickccl::files::dicom
{

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

#endif
