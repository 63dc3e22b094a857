// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Host/Buffer.h"

#include <gtest/gtest.h>

#include <utility>

namespace
{

using brickccl::Buffer;

TEST(Buffer, CanBeResizedAfterAMove)
{
  Buffer<int> buffer;
  buffer.Resize(10);
  const Buffer<int> other = std::move(buffer);
  EXPECT_NE(other.Data(), nullptr);
  buffer.Resize(5); // NOLINT(bugprone-use-after-move)
  ASSERT_NE(buffer.Data(), nullptr);
  EXPECT_EQ(buffer.Size(), 5u);
}

} // namespace
