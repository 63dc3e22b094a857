// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_PAPERTIMES_CUH
#define BRICKCCL_TESTING_GPU_PAPERTIMES_CUH

#include "PaperImages.h"
#include "Timing.cuh"

#include "BrickCCL/Dispatch/DeviceLabeler.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

/** Times of the methods that the papers compare. */
namespace brickccl::benchmark
{

/** Device memory that is used again for the next image. */
struct DeviceImage
{
  unsigned char * pixels = nullptr;
  unsigned *      labels = nullptr;
  std::size_t     capacity = 0;

  void
  Load(const Pixels & from)
  {
    if (from.size() > capacity)
    {
      Check(cudaFree(pixels));
      Check(cudaFree(labels));
      capacity = from.size();
      Check(cudaMalloc(&pixels, capacity + 64));
      Check(cudaMalloc(&labels, 4 * capacity + 64));
    }
    Check(cudaMemcpy(pixels, from.data(), from.size(), cudaMemcpyHostToDevice));
  }
};

inline double
Median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

enum class Sums
{
  None,
  /** Moments, summed voxel by voxel while labeling or after it, as the algorithm's option says. */
  Moments,
  /** The component table's default columns. */
  Table
};

/** One way to label, and what is summed with it. */
struct Method
{
  std::string name;
  std::string algorithm;
  Sums        sums = Sums::None;
};

struct Measured
{
  double                                      total = 0;
  double                                      own = 0;
  int                                         rounds = 0;
  std::vector<std::pair<std::string, double>> stages;
};

class Benchmark
{
public:
  Benchmark()
    : m_Labeler(0)
  {
    m_Labeler.MeasureStages(true);
    Check(cudaEventCreate(&m_Begin));
    Check(cudaEventCreate(&m_End));
  }

  /** The median of as many runs as fit into `limit` milliseconds, at least 3 and at most 50, after a warm-up run. */
  Measured
  Measure(const Method & method, const Extent & extent, const Criterion & criterion, const Connectivity & connectivity)
  {
    std::vector<double> totals, owns;
    Measured            measured;
    double              spent = 0;
    for (int run = 0; run < 4 || (run < 51 && spent < limit); ++run)
    {
      Check(cudaEventRecord(m_Begin));
      m_Labeler.LabelOnDevice(method.algorithm,
                              ImageView(m_Image.pixels, extent),
                              criterion,
                              {},
                              connectivity,
                              m_Image.labels,
                              LabelType::UInt32);
      if (method.sums == Sums::Moments)
      {
        m_Labeler.MomentsOnDevice();
      }
      if (method.sums == Sums::Table)
      {
        m_Labeler.MeasureOnDevice();
      }
      Check(cudaEventRecord(m_End));
      Check(cudaEventSynchronize(m_End));
      float milliseconds = 0;
      Check(cudaEventElapsedTime(&milliseconds, m_Begin, m_End));
      spent += milliseconds;
      measured.stages = m_Labeler.LastStages();
      double own = 0;
      for (const auto & [stage, time] : measured.stages)
      {
        own += stage == "links" || stage == "labels" ? 0 : time;
      }
      if (run > 0)
      {
        totals.push_back(milliseconds);
        owns.push_back(own);
      }
    }
    measured.total = Median(totals);
    measured.own = Median(owns);
    measured.rounds = m_Labeler.LastIterations();
    return measured;
  }

  void
  Load(const Pixels & pixels)
  {
    m_Image.Load(pixels);
  }

  /** Measures one image by several methods, and prints a line for each. */
  void
  Row(const std::string &         table,
      const std::string &         name,
      double                      x,
      const Pixels &              pixels,
      const Extent &              extent,
      const Connectivity &        connectivity,
      const std::vector<Method> & methods,
      const Criterion &           criterion = Criterion::Foreground())
  {
    Load(pixels);
    for (const Method & method : methods)
    {
      if (!onlyMethod.empty() && method.name != onlyMethod)
      {
        continue;
      }
      const Measured measured = Measure(method, extent, criterion, connectivity);
      Print(table, name, x, method.name, measured.total, measured.own, measured.rounds);
    }
  }

  static void
  Print(const std::string & table,
        const std::string & name,
        double              x,
        const std::string & method,
        double              total,
        double              own,
        int                 rounds)
  {
    std::printf("%s,%s,%g,%s,%.4f,%.4f,%d\n", table.c_str(), name.c_str(), x, method.c_str(), total, own, rounds);
    std::fflush(stdout);
  }

  double      limit = 250;
  std::string onlyMethod;

private:
  DeviceLabeler m_Labeler;
  DeviceImage   m_Image;
  cudaEvent_t   m_Begin = nullptr;
  cudaEvent_t   m_End = nullptr;
};

inline const Method Default{ "default", "Auto" };

} // namespace brickccl::benchmark

#endif
