// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace brickccl
{

/** Steps that threads take together, one after the other. Each step has the same number of pieces. Threads that wait
 *  for others stay awake, since waking takes as long as short steps do. */
class TeamSteps
{
public:
  TeamSteps(std::size_t steps, std::size_t pieces)
    : m_Pieces(pieces)
    , m_IsTaken(steps * pieces)
    , m_Done(steps)
  {}

  /** Does the pieces of a step that no thread has taken, from `first` on, and returns when all pieces are done. The
   *  work of other threads is visible then. Each thread takes all steps, in their order. It may come late, or never,
   *  as long as one comes. `work(piece)` must not throw. */
  template <typename TWork>
  void
  Take(std::size_t step, std::size_t first, const TWork & work)
  {
    for (std::size_t i = 0; i < m_Pieces; ++i)
    {
      const std::size_t piece = (first + i) % m_Pieces;
      if (!m_IsTaken[step * m_Pieces + piece].exchange(true))
      {
        work(piece);
        m_Done[step].fetch_add(1);
      }
    }
    Wait(m_Done[step]);
  }

private:
  void
  Wait(const std::atomic<std::size_t> & done) const
  {
    // A thread that waits longer than this leaves its processor to others.
    constexpr int  looks = 5000;
    constexpr auto nap = std::chrono::microseconds(50);
    for (int i = 0; done.load() < m_Pieces; ++i)
    {
      if (i < looks)
      {
        std::this_thread::yield();
      }
      else
      {
        std::this_thread::sleep_for(nap);
      }
    }
  }

  std::size_t                           m_Pieces;
  std::vector<std::atomic<bool>>        m_IsTaken;
  std::vector<std::atomic<std::size_t>> m_Done;
};

} // namespace brickccl
