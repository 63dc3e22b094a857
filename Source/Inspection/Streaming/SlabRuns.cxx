// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/SlabRuns.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Labels/ExpandLabels.h"

#include <algorithm>

namespace brickccl
{

void
SlabRuns::WriteRows(std::int64_t begin, std::int64_t end, LabelType type, void * labels)
{
  const std::int64_t slabRows = m_Plan.slabs.front().extent.RowCount();
  const auto         rowBytes =
    static_cast<std::size_t>(m_Plan.slabs.front().extent.RowLength()) * SizeOf(ScalarTypeOfLabel(type));
  auto * output = static_cast<std::byte *>(labels);
  while (begin < end)
  {
    const std::int64_t slab = begin / slabRows;
    const std::int64_t last = std::min(end, (slab + 1) * slabRows);
    const auto         runs = Get(static_cast<std::size_t>(slab));
    ExpandRows(*runs, begin - slab * slabRows, last - slab * slabRows, type, output);
    output += static_cast<std::size_t>(last - begin) * rowBytes;
    begin = last;
  }
}

std::shared_ptr<const RunVolume>
SlabRuns::Get(std::size_t slab)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  for (const auto & [number, runs] : m_Kept)
  {
    if (number == slab)
    {
      return runs;
    }
  }
  auto runs = std::make_shared<RunVolume>();
  // Two are enough: pieces are written nearly in order.
  m_Kept.erase(m_Kept.begin(), m_Kept.size() < 2 ? m_Kept.begin() : m_Kept.end() - 1);
  files::WithContext(m_Plan.slabs[slab].ToString() + ": ", [&] {
    ReadBrickRuns(m_Folder->Read(slab, WorkFolder::Kind::Runs),
                  ReadMap(m_Folder->Read(slab, WorkFolder::Kind::Map)),
                  { 1 },
                  *runs);
  });
  m_Kept.emplace_back(slab, runs);
  return runs;
}

} // namespace brickccl
