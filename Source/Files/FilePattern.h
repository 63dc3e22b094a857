// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files
{

/** A name with a place for a number: "s_%03d.tif". */
struct NumberedName
{
  std::string before;
  std::string after;
  std::size_t width = 0;
  char        filling = ' ';

  /** The number's text in a name; empty if the rest of the name differs. */
  std::string NumberIn(const std::string & name) const;
  /** The name that printf makes of a number, and whether it makes this one. */
  std::string Of(std::int64_t number) const;
  bool        Makes(const std::string & name) const;
};

/** The parts of a name with one place for a number (%d, %03d, %i, %u); nothing if it has none, or several. */
std::optional<NumberedName> NumberedNameOf(const std::string & name);

/** Whether a path is a pattern for several files: its last part has one of the characters * and ?, or a printf format
 *  for one number, such as %03d. */
bool IsFilePattern(const std::string & path);

/** The files that match a pattern, in order of name. A number format matches the output of printf for numbers from 0:
 *  "s_%03d.tif" matches s_007.tif and s_1000.tif, but not s_7.tif; %% matches a %.
 *  All characters but * and ? match themselves. */
std::vector<std::string> FilesOfPattern(const std::string & pattern);

/** A message with the pattern of a file that matches except for leading zeros: s_007.tif for "s_%d.tif"; else empty. */
std::string HintOnPadding(const std::string & pattern);

/** Whether a path, also of a missing file, matches a pattern, also through symbolic links. */
bool StandsForFile(const std::string & pattern, const std::string & path);

} // namespace brickccl::files
