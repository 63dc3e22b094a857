// SPDX-License-Identifier: Apache-2.0
// Feeds the requests of `brickccl view` with the inputs that libFuzzer makes. Every input must end in a request, in the
// wish for more bytes, or in a Refusal; an incomplete request must not become another one.

#include "BrickCCL/View/Http.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int
LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  using namespace brickccl::view;
  const std::string bytes(reinterpret_cast<const char *>(data), size);
  try
  {
    if (const auto request = ReadRequest(bytes))
    {
      const bool isKnown = request->method == "GET" || request->method == "POST";
      if (!isKnown || request->path.empty() || request->path.front() != '/' ||
          ReadRequest(bytes.substr(0, bytes.find("\r\n\r\n"))))
      {
        std::abort();
      }
      CheckSource(*request, "0123456789abcdef");
    }
  }
  catch (const Refusal &)
  {
    return 0;
  }
  return 0;
}
