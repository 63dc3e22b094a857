// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CUDA_STAGECLOCK_CUH
#define BRICKCCL_CUDA_STAGECLOCK_CUH

#include "BrickCCL/Cuda/Runtime.cuh"

#include <string>
#include <utility>
#include <vector>

namespace brickccl::cuda
{

/** Measures the times of an algorithm's stages on a stream, if it is switched on. */
class StageClock
{
public:
  StageClock() = default;
  StageClock(const StageClock &) = delete;
  StageClock & operator=(const StageClock &) = delete;
  ~StageClock()
  {
    for (const cudaEvent_t event : m_Events)
    {
      (void)cudaEventDestroy(event);
    }
  }

  void
  SwitchOn(bool on)
  {
    m_IsOn = on;
  }

  void
  Start(cudaStream_t stream)
  {
    m_Names.clear();
    if (m_IsOn)
    {
      Record(stream);
    }
  }

  /** Counts what was queued since the last call as this stage. */
  void
  Finish(const char * stage, cudaStream_t stream)
  {
    if (m_IsOn)
    {
      m_Names.emplace_back(stage);
      Record(stream);
    }
  }

  /** The milliseconds of each stage, in the order of their first occurrence. The stream must have finished them. */
  std::vector<std::pair<std::string, double>>
  Times() const
  {
    std::vector<std::pair<std::string, double>> times;
    for (std::size_t i = 0; i < m_Names.size(); ++i)
    {
      float milliseconds = 0;
      BRICKCCL_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, m_Events[i], m_Events[i + 1]));
      std::size_t at = 0;
      while (at < times.size() && times[at].first != m_Names[i])
      {
        ++at;
      }
      if (at == times.size())
      {
        times.emplace_back(m_Names[i], 0);
      }
      times[at].second += static_cast<double>(milliseconds);
    }
    return times;
  }

private:
  void
  Record(cudaStream_t stream)
  {
    if (m_Events.size() <= m_Names.size())
    {
      m_Events.emplace_back();
      BRICKCCL_CUDA_CHECK(cudaEventCreate(&m_Events.back()));
    }
    BRICKCCL_CUDA_CHECK(cudaEventRecord(m_Events[m_Names.size()], stream));
  }

  bool                     m_IsOn = false;
  std::vector<std::string> m_Names;
  std::vector<cudaEvent_t> m_Events;
};

} // namespace brickccl::cuda

#endif
