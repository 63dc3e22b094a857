#ifndef BRICKCCL_BATCH_JSONTEXT_H
#define BRICKCCL_BATCH_JSONTEXT_H

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace brickccl::batch
{

/** The same with the texts "Infinity" and "-Infinity" in the place of infinite numbers, which JSON has not, as Protocol
 *  Buffers write them. What is not a number becomes null in the text. */
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

/** Text in lines. Bytes that are not UTF-8 are replaced, and numbers as WithInfinities does. */
inline std::string
JsonText(const nlohmann::ordered_json & value)
{
  return WithInfinities(value).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace brickccl::batch

#endif
