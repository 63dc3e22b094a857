// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Digest.h"

#include "BrickCCL/Core/Error.h"

#include <openssl/evp.h>

namespace brickccl::batch
{

std::array<unsigned char, 32>
Sha256(const void * data, std::size_t size)
{
  std::array<unsigned char, 32> digest = {};
  ThrowIf(EVP_Digest(data, size, digest.data(), nullptr, EVP_sha256(), nullptr) != 1,
          "the SHA-256 of a file could not be computed");
  return digest;
}

} // namespace brickccl::batch
