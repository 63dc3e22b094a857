// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Digest.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>

#ifndef NOMINMAX
#  define NOMINMAX
#endif
#include <windows.h>
// It needs windows.h before it.
#include <bcrypt.h>

namespace brickccl::batch
{

std::array<unsigned char, 32>
Sha256(const void * data, std::size_t size)
{
  std::array<unsigned char, 32> digest = {};
  BCRYPT_ALG_HANDLE             algorithm = nullptr;
  BCRYPT_HASH_HANDLE            hash = nullptr;
  bool isDone = BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0) == 0 &&
                BCryptCreateHash(algorithm, &hash, nullptr, 0, nullptr, 0, 0) == 0;
  const auto * from = static_cast<const unsigned char *>(data);
  while (isDone && size > 0)
  {
    const std::size_t part = std::min(size, std::size_t{ 1 } << 30);
    isDone = BCryptHashData(hash, const_cast<unsigned char *>(from), static_cast<ULONG>(part), 0) == 0;
    from += part;
    size -= part;
  }
  isDone = isDone && BCryptFinishHash(hash, digest.data(), static_cast<ULONG>(digest.size()), 0) == 0;
  if (hash != nullptr)
  {
    BCryptDestroyHash(hash);
  }
  if (algorithm != nullptr)
  {
    BCryptCloseAlgorithmProvider(algorithm, 0);
  }
  ThrowIf(!isDone, "the SHA-256 of a file could not be computed");
  return digest;
}

} // namespace brickccl::batch
