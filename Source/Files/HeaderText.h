// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_HEADERTEXT_H
#define BRICKCCL_FILES_HEADERTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** The text without white space at both ends. */
std::string Trimmed(const std::string & text);

/** The words that white space separates. */
std::vector<std::string> Words(const std::string & text);

std::string LowerCase(std::string text);

/** Converts a text that is one whole number and nothing else. \throws Error, which names the field, for other texts. */
std::int64_t              WholeNumber(const std::string & text, const std::string & field);
std::vector<std::int64_t> WholeNumbers(const std::string & text, const std::string & field);

/** Converts a text that is one number and nothing else; "nan" and "inf" are numbers. \throws Error, which names the
 *  field, for other texts. */
double              RealNumber(const std::string & text, const std::string & field);
std::vector<double> RealNumbers(const std::string & text, const std::string & field);

/** The names that a pattern with one %d (%03d, %i, %u) gives for the numbers from a first to a last one, with a step.
 *  \throws Error for other patterns, a step of 0, and more than a million names. */
std::vector<std::string>
NamesOfPattern(const std::string & pattern, std::int64_t first, std::int64_t last, std::int64_t step);

/** The name of the data file for a header of this path. It is the header's name with another extension: "ct.raw.gz"
 *  for "ct.nhdr". Characters that have another meaning in a header (%, \\, line ends, tabs) become underscores. */
std::string DataFileName(const std::string & header, const std::string & extension);

/** The path of the file that DataFileName names. */
std::string DataFilePath(const std::string & header, const std::string & extension);

} // namespace brickccl::files

#endif
