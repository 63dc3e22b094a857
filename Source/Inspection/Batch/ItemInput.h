// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_ITEMINPUT_H
#define BRICKCCL_BATCH_ITEMINPUT_H

#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/Disk/FileStamp.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** The files of an item, with stamps to detect later changes. */
class ItemInput
{
public:
  /** \param known  those that are known before the item is read */
  explicit ItemInput(const std::vector<std::string> & known);

  /** Keeps the mapping of a file that is read, for its description: mapping it once more takes a quarter of the time
   *  of its hash. */
  void
  Keep(const files::FileBytes & mapped)
  {
    m_Mapped = mapped;
  }

  /** Describes the files that were read (DescribeFile). It is null if there are none.
   *  \throws Error if one was changed meanwhile. */
  nlohmann::ordered_json Describe(const std::set<std::string> & read);

  /** StampOf each described file from before it was described, by its name in the description. */
  const nlohmann::ordered_json &
  Stamps() const
  {
    return m_Stamps;
  }

private:
  std::map<std::string, files::FileStamp> m_Before;
  files::FileBytes                        m_Mapped;
  nlohmann::ordered_json                  m_Stamps = nlohmann::ordered_json::object();
};

} // namespace brickccl::batch

#endif
