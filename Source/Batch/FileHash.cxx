#include "BrickCCL/Batch/FileHash.h"

#include "BrickCCL/Core/Error.h"

#include <openssl/evp.h>

namespace brickccl::batch
{

std::string
HashOf(const void * data, std::size_t size)
{
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned      length = 0;
  if (EVP_Digest(data, size, digest, &length, EVP_sha256(), nullptr) != 1)
  {
    throw Error("the SHA-256 of a file could not be computed");
  }
  static const char * const digits = "0123456789abcdef";
  std::string               text;
  for (unsigned i = 0; i < length; ++i)
  {
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15u];
  }
  return text;
}

std::string
HashOf(const std::string & text)
{
  return HashOf(text.data(), text.size());
}

nlohmann::ordered_json
DescribeFile(const std::string & path, const std::string & name)
{
  return DescribeFile(files::FileBytes::Map(path), name);
}

nlohmann::ordered_json
DescribeFile(const files::FileBytes & bytes, const std::string & name)
{
  nlohmann::ordered_json described;
  described["path"] = name;
  described["bytes"] = bytes.Size();
  described["sha256"] = HashOf(bytes.Data(), bytes.Size());
  return described;
}

} // namespace brickccl::batch
