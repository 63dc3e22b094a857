#ifndef BRICKCCL_CORE_LOSTNUMBER_H
#define BRICKCCL_CORE_LOSTNUMBER_H

#include <cmath>
#include <cstdlib>
#include <string>

namespace brickccl
{

/** What there is to say of a text that is a number which no double stands for: one other than 0 whose nearest double is
 *  0, such as 1e-400, or one beyond the largest double, such as 1e400. It proposes no other number, which may mean
 *  something else. It is empty for every other text. */
inline std::string
HintOnLostNumber(const std::string & text)
{
  char *       end = nullptr;
  const double nearest = std::strtod(text.c_str(), &end);
  const auto   digits = text.substr(0, text.find_first_of("eE")).find_first_of("123456789");
  if (text.empty() || end != text.data() + text.size() || digits == std::string::npos)
  {
    return {};
  }
  return nearest == 0        ? "; it is too near to 0 for a number of double precision"
       : std::isinf(nearest) ? "; it is too large for a number of double precision"
                             : "";
}

/** Whether a text is such a number. */
inline bool
IsLostNumber(const std::string & text)
{
  return !HintOnLostNumber(text).empty();
}

} // namespace brickccl

#endif
