// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** A segment that another format than .seg.nrrd names.
 *  \param name   any bytes
 *  \param color  red, green and blue, 0 to 1, or empty
 *  \param tags   its terminology as 3D Slicer writes it, or empty */
Segment MakeSegment(std::uint64_t               label,
                    const std::string &         name,
                    const std::vector<double> & color,
                    const std::string &         tags = "");

/** The character of Unicode with this number. */
std::string Utf8Of(std::uint32_t code);

/** A text as UTF-8 on one line: control characters become \x0a, bytes that are not UTF-8 are read as Latin-1. */
std::string PlainText(const std::string & text);

/** The name as plain text, of which at most 1000 bytes stay. Empty if the segment has none. */
std::string NameOf(const Segment & segment);

/** Reads the names and colors of labels. The format is found from the text: ITK-SNAP's label description, a color table
 *  of 3D Slicer (.ctbl), a lookup table of FreeSurfer, a dseg.tsv of BIDS, or the JSON of dcmqi, which has codes as
 *  well. The label 0 is left out. \throws Error that names the file and the line */
std::vector<Segment> ReadSegmentNames(const std::string & path);

} // namespace brickccl
