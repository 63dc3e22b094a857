// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ItemInput.h"

#include "BrickCCL/Batch/FileHash.h"

#include <filesystem>

namespace brickccl::batch
{

ItemInput::ItemInput(const std::vector<std::string> & known)
{
  for (const std::string & file : known)
  {
    m_Before.emplace(file, files::FileStamp::Of(file));
  }
}

nlohmann::ordered_json
ItemInput::Describe(const std::set<std::string> & read)
{
  nlohmann::ordered_json described;
  for (const std::string & file : read)
  {
    if (std::error_code failure; std::filesystem::is_regular_file(file, failure))
    {
      const files::FileStamp       before = m_Before.emplace(file, files::FileStamp::Of(file)).first->second;
      const nlohmann::ordered_json stamp = StampOf(file);
      described.push_back(file == m_Mapped.Path() ? DescribeFile(m_Mapped, file) : DescribeFile(file, file));
      before.RequireSame();
      m_Stamps[described.back().at("path").get<std::string>()] = stamp;
    }
  }
  return described;
}

} // namespace brickccl::batch
