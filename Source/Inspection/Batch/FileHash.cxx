// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/FileHash.h"

#include "BrickCCL/Batch/Digest.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/FileStamp.h"

#include <array>
#include <cstdlib>

namespace brickccl::batch
{

namespace
{

std::string
HexOf(const unsigned char * bytes, std::size_t size)
{
  static const char * const digits = "0123456789abcdef";
  std::string               text;
  for (std::size_t i = 0; i < size; ++i)
  {
    text += digits[bytes[i] >> 4u];
    text += digits[bytes[i] & 15u];
  }
  return text;
}

} // namespace

std::string
HashOf(const void * data, std::size_t size)
{
  const std::array<unsigned char, 32> digest = Sha256(data, size);
  return HexOf(digest.data(), digest.size());
}

std::string
HashOf(const std::string & text)
{
  return HashOf(text.data(), text.size());
}

nlohmann::ordered_json
DescribeFile(const std::string & path, const std::string & name)
{
  files::FileBytes bytes;
  try
  {
    bytes = files::FileBytes::Map(path);
  }
  catch (const Error & error)
  {
    throw Error("cannot read " + Quoted(path) + ": " + error.what());
  }
  return DescribeFile(bytes, name);
}

nlohmann::ordered_json
DescribeFile(const files::FileBytes & bytes, const std::string & name)
{
  nlohmann::ordered_json described;
  described["path"] = NameText(name);
  if (described["path"] != name)
  {
    described["path_hex"] = HexOf(reinterpret_cast<const unsigned char *>(name.data()), name.size());
  }
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

std::string
NameIn(const nlohmann::ordered_json & described)
{
  if (!described.contains("path_hex"))
  {
    return described.at("path");
  }
  const std::string hex = described.at("path_hex");
  std::string       name;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
  {
    name += static_cast<char>(std::strtol(hex.substr(i, 2).c_str(), nullptr, 16));
  }
  return name;
}

} // namespace brickccl::batch
