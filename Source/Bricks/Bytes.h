#ifndef BRICKCCL_BRICKS_BYTES_H
#define BRICKCCL_BRICKS_BYTES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** What the steps of labeling by bricks hand on and keep in files. */
using Bytes = std::vector<std::uint8_t>;

/** Bytes that lie elsewhere: in a vector, a mapped file or an object of Python. */
struct BytesView
{
  const std::uint8_t * data = nullptr;
  std::size_t          size = 0;

  BytesView() = default;
  BytesView(const std::uint8_t * first, std::size_t count)
    : data(first)
    , size(count)
  {}
  BytesView(const Bytes & bytes)
    : data(bytes.data())
    , size(bytes.size())
  {}
};

} // namespace brickccl

#endif
