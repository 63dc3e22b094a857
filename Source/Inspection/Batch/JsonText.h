// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace brickccl::batch
{

/** As above, with infinite numbers as "Infinity" and "-Infinity", like Protocol Buffers. NaN becomes null. */
inline nlohmann::ordered_json
WithInfinities(nlohmann::ordered_json value)
{
  if (value.is_structured())
  {
    for (nlohmann::ordered_json & part : value)
    {
      part = WithInfinities(std::move(part));
    }
  }
  else if (value.is_number_float() && std::isinf(value.get<double>()))
  {
    return value.get<double>() > 0 ? "Infinity" : "-Infinity";
  }
  return value;
}

/** Text in lines. Bytes that are not UTF-8 are replaced, and numbers as WithInfinities does. All control characters are
 *  escaped, also those that JSON may hold as they are: DEL, and U+0080 to U+009F, which steer some terminals. */
inline std::string
JsonText(const nlohmann::ordered_json & value)
{
  const std::string text = WithInfinities(value).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string       escaped;
  for (std::size_t at = 0; at < text.size(); ++at)
  {
    const std::size_t control = text[at] == '\n' ? 0 : ControlLength(text, at);
    if (control > 0)
    {
      constexpr const char * digits = "0123456789abcdef";
      at += control - 1;
      const auto code = static_cast<unsigned char>(text[at]);
      escaped += { '\\', 'u', '0', '0', digits[code / 16], digits[code % 16] };
    }
    else
    {
      escaped += text[at];
    }
  }
  return escaped;
}

inline Error
DamagedFile(const std::string & path)
{
  return Error(Quoted(path) + " is damaged; `brickccl batch ... --resume` makes it again");
}

/** Reads a batch's JSON file by `take`. \throws DamagedFile if it is not JSON, or not what `take` expects. */
template <typename TFunction>
void
WithJson(const std::string & path, TFunction && take)
{
  try
  {
    take(nlohmann::ordered_json::parse(ReadText(path)));
  }
  catch (const nlohmann::ordered_json::exception &)
  {
    throw DamagedFile(path);
  }
}

} // namespace brickccl::batch
