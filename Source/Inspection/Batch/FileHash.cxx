// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/FileHash.h"

#include "BrickCCL/Batch/Digest.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Files/ErrorContext.h"

namespace brickccl::batch
{

std::string
HashOf(const void * data, std::size_t size)
{
  static const char * const digits = "0123456789abcdef";
  std::string               text;
  for (const unsigned char byte : Sha256(data, size))
  {
    text += digits[byte >> 4u];
    text += digits[byte & 15u];
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
  return DescribeFile(files::WithContext(files::CannotRead(path), [&] { return files::FileBytes::Map(path); }), name);
}

nlohmann::ordered_json
DescribeFile(const files::FileBytes & bytes, const std::string & name)
{
  nlohmann::ordered_json described;
  CheckName(name);
  described["path"] = name;
  described["bytes"] = bytes.Size();
  described["sha256"] = HashOf(bytes.Data(), bytes.Size());
  return described;
}

nlohmann::ordered_json
StampOf(const std::string & path)
{
  const auto stamp = files::FileStamp::Of(path);
  return stamp.isThere ? nlohmann::ordered_json{ stamp.time, stamp.statusChange } : nlohmann::ordered_json();
}

} // namespace brickccl::batch
