// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/PipedChild.h"

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
  work([&](const void * bytes, std::size_t size) {
    const auto * const first = static_cast<const std::uint8_t *>(bytes);
    m_Sent.emplace_back(first, first + size);
  });
}

PipedChild::~PipedChild() = default;

PipedChild::Bytes
PipedChild::Receive()
{
  Bytes bytes = std::move(m_Sent.front());
  m_Sent.pop_front();
  return bytes;
}

} // namespace brickccl::files
