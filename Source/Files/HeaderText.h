#ifndef BRICKCCL_FILES_HEADERTEXT_H
#define BRICKCCL_FILES_HEADERTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Without white space at both ends. */
std::string Trimmed(const std::string & text);

/** The words between white space. */
std::vector<std::string> Words(const std::string & text);

std::string LowerCase(std::string text);

/** A whole number that is all of the text. \throws Error, which names the field, for anything else. */
std::int64_t WholeNumber(const std::string & text, const std::string & field);

/** A number that is all of the text, "nan" and "inf" included. \throws Error, which names the field. */
double              RealNumber(const std::string & text, const std::string & field);
std::vector<double> RealNumbers(const std::string & text, const std::string & field);

/** The names that a pattern with one %d (%03d, %i, %u), a first, a last number and a step stand for.
 *  \throws Error for other patterns, a step of 0, and more than a million names. */
std::vector<std::string>
NamesOfPattern(const std::string & pattern, std::int64_t first, std::int64_t last, std::int64_t step);

/** The name of the data file beside a header of this path: its own with another extension, "ct.raw.gz" of "ct.nhdr".
 *  What would mean something else in a header (%, \\, line ends, tabs) becomes an underscore. */
std::string DataFileName(const std::string & header, const std::string & extension);

/** The path of that file. */
std::string DataFilePath(const std::string & header, const std::string & extension);

} // namespace brickccl::files

#endif
