// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

inline constexpr const char * WhiteSpace = " \t\r\n\v\f";

/** The text without white space, or other letters, at both ends. */
std::string Trimmed(const std::string & text, const std::string & blanks = WhiteSpace);

std::vector<std::string> Words(const std::string & text);

std::string LowerCase(std::string text);

/** The value of an attribute of a tag of XML; empty if the tag has no attribute of this name. */
std::string Attribute(const std::string & tag, const std::string & name);

/** Converts a text that is one whole number and nothing else. \throws Error, which names the field, for other texts. */
std::int64_t              WholeNumber(const std::string & text, const std::string & field);
std::vector<std::int64_t> WholeNumbers(const std::string & text, const std::string & field);

/** Converts a text that is one number; "nan" and "inf" are. \throws Error, which names the field, for others. */
double              RealNumber(const std::string & text, const std::string & field);
std::vector<double> RealNumbers(const std::string & text, const std::string & field);

/** The words for each of some axes, with spaces between them. */
template <typename TWord>
std::string
WordsOfAxes(int dimension, TWord word)
{
  std::string text;
  for (int axis = 0; axis < dimension; ++axis)
  {
    text += (axis == 0 ? "" : " ") + word(axis);
  }
  return text;
}

/** The text of a line without its end. `place` moves behind it. */
std::string TakeLine(const char *& place, const char * end);

/** The data files that a field of a header names: one file, or the files of a pattern such as "s_%03d.raw 1 90 1".
 *  \param least  words of a pattern; one more may follow
 *  \throws Error for a step of 0, and more than a million names. */
std::vector<std::string>
DataFileNames(const std::string & header, const std::string & value, const std::string & field, std::size_t least);

/** The name of the data file for a header of this path. It is the header's name with another extension: "ct.raw.gz"
 *  for "ct.nhdr". Characters that have another meaning in a header (%, \\, line ends, tabs) become underscores. */
std::string DataFileName(const std::string & header, const std::string & extension);

std::string DataFilePath(const std::string & header, const std::string & extension);

} // namespace brickccl::files
