// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_RUNS_STOREDBOUNDS_H
#define BRICKCCL_RUNS_STOREDBOUNDS_H

#include "BrickCCL/Host/Buffer.h"

#include <cstddef>
#include <cstdint>

namespace brickccl
{

/** For each run of a volume its first voxel in its row (Begins) and the voxel behind its last one (Ends), or nothing.
 */
class StoredBounds
{
public:
  /** Vector code may write this many bounds after the last one. */
  static constexpr std::size_t Padding = 16;

  /** Makes room. Nothing counts as kept before SetKept. */
  void
  Resize(std::uint64_t runs)
  {
    m_Begins.Resize(static_cast<std::size_t>(runs) + Padding);
    m_Ends.Resize(static_cast<std::size_t>(runs) + Padding);
  }
  /** Says whether the bounds of all runs are set. */
  void
  SetKept(bool are)
  {
    m_AreKept = are;
  }

  bool
  AreKept() const
  {
    return m_AreKept;
  }
  std::int32_t *
  Begins()
  {
    return m_Begins.Data();
  }
  const std::int32_t *
  Begins() const
  {
    return m_Begins.Data();
  }
  std::int32_t *
  Ends()
  {
    return m_Ends.Data();
  }
  const std::int32_t *
  Ends() const
  {
    return m_Ends.Data();
  }

  /** As Buffer::Overwrite. */
  void
  Overwrite(unsigned char byte)
  {
    m_Begins.Overwrite(byte);
    m_Ends.Overwrite(byte);
  }
  std::size_t
  CapacityBytes() const
  {
    return m_Begins.CapacityBytes() + m_Ends.CapacityBytes();
  }

private:
  bool                 m_AreKept = false;
  Buffer<std::int32_t> m_Begins;
  Buffer<std::int32_t> m_Ends;
};

} // namespace brickccl

#endif
