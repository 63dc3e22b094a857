// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace brickccl
{

/** How many bytes a control character has that begins at a place of UTF-8 text: 1 in ASCII, DEL included, 2 for
 *  U+0080 to U+009F, which steer some terminals; 0 if none begins there. */
std::size_t ControlLength(const std::string & text, std::size_t at);

/** A text from elsewhere for messages: control characters, which may break a line or steer a terminal, become \x1b and
 *  the like, and so do bytes above 0x7f of a text that is not UTF-8. \param kept  characters that stay as they are. */
std::string Printable(const std::string & text, const std::string & kept = "");

bool IsUtf8(const std::string & text);

/** The name of a file, or a name from one, between quotation marks. */
std::string Quoted(const std::string & name);

/** A number with as many digits as distinguish it from its neighbors, with an exponent only if it is very large or near
 *  to 0: "0.1", not "0.100000"; "1000000", not "1e+06". */
std::string Shortest(double value);

} // namespace brickccl
