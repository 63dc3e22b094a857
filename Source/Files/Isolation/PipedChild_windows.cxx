// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/PipedChild.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace brickccl::files
{

PipedChild::PipedChild(std::string,
                       const std::function<void(const Send & send)> & work,
                       std::size_t,
                       unsigned,
                       std::function<void()>)
{
  // Such libraries work for one thread at a time.
  static std::mutex                 isAtWork;
  const std::lock_guard<std::mutex> lock(isAtWork);
  try
  {
    work([&](const void * bytes, std::size_t size) {
      const auto * const first = static_cast<const std::uint8_t *>(bytes);
      m_Sent.emplace_back(first, first + size);
    });
  }
  catch (...)
  {
    m_Thrown = std::current_exception();
  }
}

PipedChild::~PipedChild() = default;

PipedChild::Bytes
PipedChild::Receive()
{
  if (m_Sent.empty())
  {
    std::rethrow_exception(m_Thrown);
  }
  Bytes bytes = std::move(m_Sent.front());
  m_Sent.pop_front();
  return bytes;
}

void
PipedChild::Receive(void * bytes, std::size_t size)
{
  const Bytes received = Receive();
  ThrowIf(received.size() != size, "a library read an unexpected number of bytes");
  std::copy(received.begin(), received.end(), static_cast<std::uint8_t *>(bytes));
}

} // namespace brickccl::files
