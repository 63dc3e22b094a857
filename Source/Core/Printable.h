#ifndef BRICKCCL_CORE_PRINTABLE_H
#define BRICKCCL_CORE_PRINTABLE_H

#include <string>

namespace brickccl
{

/** A text from elsewhere for messages: control characters, which may break a line or steer a terminal, are written as
 *  \x1b is. So is the backslash, except on Windows, so that no two names are alike. \param kept  characters that stay
 * as they are. */
std::string Printable(const std::string & text, const std::string & kept = "");

/** The name of a file, or a name from one, between quotation marks. */
std::string Quoted(const std::string & name);

} // namespace brickccl

#endif
