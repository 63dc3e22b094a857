// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_ALLPIXELTYPES_H
#define BRICKCCL_TESTING_ALLPIXELTYPES_H

#include <gtest/gtest.h>

#include <cstdint>

namespace brickccl::testing
{

/** For TYPED_TEST_SUITE: every type that a voxel may have. */
using AllPixelTypes = ::testing::Types<std::int8_t,
                                       std::uint8_t,
                                       std::int16_t,
                                       std::uint16_t,
                                       std::int32_t,
                                       std::uint32_t,
                                       std::int64_t,
                                       std::uint64_t,
                                       float,
                                       double>;

} // namespace brickccl::testing

#endif
