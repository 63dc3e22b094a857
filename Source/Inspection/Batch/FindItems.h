// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/BatchFolder.h"

#include <string>
#include <vector>

namespace brickccl::batch
{

struct FoundItems
{
  std::vector<BatchItem> items;
  /** Files of no known format. */
  std::vector<std::string> ignored;
  /** Folders below the inputs that other batches wrote; they are not searched. */
  std::vector<std::string> otherBatches;
};

/** The file of an item's zones; empty if the recipe has none. */
std::string ZonesOf(const Recipe & recipe, const std::string & item);

/** Names items and their folders. \param outputFolder  is not searched. \throws Error, also if there is none. */
FoundItems FindItems(const std::vector<std::string> & inputs, const Recipe & recipe, const std::string & outputFolder);

} // namespace brickccl::batch
