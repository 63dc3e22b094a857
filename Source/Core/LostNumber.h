#ifndef BRICKCCL_CORE_LOSTNUMBER_H
#define BRICKCCL_CORE_LOSTNUMBER_H

#include <cstdlib>
#include <string>

namespace brickccl
{

/** Whether a text is a number other than 0 whose nearest double is 0, such as 1e-400. */
inline bool
IsLostNumber(const std::string & text)
{
  char *       end = nullptr;
  const double nearest = std::strtod(text.c_str(), &end);
  const bool   isNumber = !text.empty() && end == text.data() + text.size();
  return isNumber && nearest == 0 && text.substr(0, text.find_first_of("eE")).find_first_of("123456789") != text.npos;
}

/** What there is to say of a lost number. It proposes none: 0 may mean something else. */
inline constexpr const char * LostNumberHint = "; it is too near to 0 for a number of double precision";

} // namespace brickccl

#endif
