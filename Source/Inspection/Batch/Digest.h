// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace brickccl::batch
{

std::array<unsigned char, 32> Sha256(const void * data, std::size_t size);

} // namespace brickccl::batch
