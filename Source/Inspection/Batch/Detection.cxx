// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Detection.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace brickccl::batch
{

namespace
{

/** The 90 % point of chi-squared with one degree of freedom: 95 % on one side. */
constexpr double Critical = 2.705543454095404;

double
Logistic(double logOdds)
{
  return 1 / (1 + std::exp(-logOdds));
}

double
LogOdds(double probability)
{
  return std::log(probability / (1 - probability));
}

/** The logarithm of the probability of a hit (a miss) at such log-odds. */
double
LogProbability(double logOdds, bool isHit)
{
  const double towards = isHit ? logOdds : -logOdds;
  return towards > 0 ? -std::log1p(std::exp(-towards)) : towards - std::log1p(std::exp(towards));
}

/** Halves an interval in which a function that falls (rises, if not `isFalling`) crosses 0. */
template <typename TFunction>
double
Crossing(double low, double high, bool isFalling, TFunction && function)
{
  // More digits than this the sums do not have.
  while (high - low > 1e-12 * (1 + std::abs(low)))
  {
    const double middle = low + (high - low) / 2;
    const bool   isBefore = (function(middle) > 0) == isFalling;
    (isBefore ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

} // namespace

DetectionCurve::DetectionCurve(const std::vector<Detection> & detections)
{
  for (const Detection & detection : detections)
  {
    m_Sizes.push_back(std::log(detection.size));
    m_Hits.push_back(detection.isHit);
    m_HitCount += detection.isHit ? 1 : 0;
    m_MeanSize += m_Sizes.back() / static_cast<double>(detections.size());
  }
  m_Problem = WhyNoCurve();
  if (m_Problem.empty())
  {
    Fit();
  }
  if (m_Problem.empty() && !(m_Slope > 0))
  {
    m_Problem = "larger defects are not found more often than smaller ones";
  }
}

std::string
DetectionCurve::WhyNoCurve() const
{
  if (m_Sizes.empty())
  {
    return "there are no true defects";
  }
  if (m_HitCount == m_Sizes.size())
  {
    return "nothing was missed; add smaller defects";
  }
  if (m_HitCount == 0)
  {
    return "no true defect was found; add larger defects";
  }
  double smallestHit = std::numeric_limits<double>::infinity();
  double smallestMiss = smallestHit;
  double largestHit = -smallestHit;
  double largestMiss = -smallestHit;
  for (std::size_t i = 0; i < m_Sizes.size(); ++i)
  {
    double & smallest = m_Hits[i] ? smallestHit : smallestMiss;
    double & largest = m_Hits[i] ? largestHit : largestMiss;
    smallest = std::min(smallest, m_Sizes[i]);
    largest = std::max(largest, m_Sizes[i]);
  }
  if (largestMiss <= smallestHit || largestHit <= smallestMiss)
  {
    return "the sizes of found and missed defects do not overlap, so the curve is a step without a confidence bound; "
           "add defects near that size";
  }
  return {};
}

double
DetectionCurve::LogLikelihood(double place, double value, double slope) const
{
  double sum = 0;
  for (std::size_t i = 0; i < m_Sizes.size(); ++i)
  {
    sum += LogProbability(value + slope * (m_Sizes[i] - place), m_Hits[i]);
  }
  return sum;
}

void
DetectionCurve::Fit()
{
  // Newton's method on a function that is concave; a step that goes too far is halved.
  m_Middle = LogOdds(static_cast<double>(m_HitCount) / static_cast<double>(m_Sizes.size()));
  m_Slope = 0;
  m_Best = LogLikelihood(m_MeanSize, m_Middle, m_Slope);
  for (int iteration = 0; iteration < 200; ++iteration)
  {
    double gradient[2] = { 0, 0 };
    double curvature[3] = { 0, 0, 0 };
    for (std::size_t i = 0; i < m_Sizes.size(); ++i)
    {
      const double x = m_Sizes[i] - m_MeanSize;
      const double probability = Logistic(m_Middle + m_Slope * x);
      const double weight = probability * (1 - probability);
      gradient[0] += (m_Hits[i] ? 1 : 0) - probability;
      gradient[1] += ((m_Hits[i] ? 1 : 0) - probability) * x;
      curvature[0] += weight;
      curvature[1] += weight * x;
      curvature[2] += weight * x * x;
    }
    const double determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
    double       middle = (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant;
    double       slope = (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant;
    if (!std::isfinite(middle) || !std::isfinite(slope))
    {
      m_Problem = "the defects are too similar in size for a curve";
      return;
    }
    double next = LogLikelihood(m_MeanSize, m_Middle + middle, m_Slope + slope);
    for (int halving = 0; halving < 60 && next < m_Best; ++halving)
    {
      middle /= 2;
      slope /= 2;
      next = LogLikelihood(m_MeanSize, m_Middle + middle, m_Slope + slope);
    }
    if (!(next > m_Best))
    {
      return;
    }
    m_Middle += middle;
    m_Slope += slope;
    m_Best = next;
  }
}

double
DetectionCurve::Intercept() const
{
  return m_Middle - m_Slope * m_MeanSize;
}

double
DetectionCurve::Probability(double size) const
{
  return Logistic(m_Middle + m_Slope * (std::log(size) - m_MeanSize));
}

double
DetectionCurve::SizeAt(double probability) const
{
  return std::exp(m_MeanSize + (LogOdds(probability) - m_Middle) / m_Slope);
}

double
DetectionCurve::Deviance(double logSize, double logOdds) const
{
  // Along the slopes of the curves through a point the log-likelihood is concave.
  const auto rise = [&](double slope) {
    double sum = 0;
    for (std::size_t i = 0; i < m_Sizes.size(); ++i)
    {
      const double x = m_Sizes[i] - logSize;
      sum += ((m_Hits[i] ? 1 : 0) - Logistic(logOdds + slope * x)) * x;
    }
    return sum;
  };
  double reach = 1;
  while (reach < 1e9 && (rise(reach) > 0 || rise(-reach) < 0))
  {
    reach *= 2;
  }
  const double slope = Crossing(-reach, reach, true, rise);
  return 2 * (m_Best - LogLikelihood(logSize, logOdds, slope));
}

double
DetectionCurve::LowerBound(double size) const
{
  const double logSize = std::log(size);
  const double best = m_Middle + m_Slope * (logSize - m_MeanSize);
  double       step = 1;
  while (step < 1e3 && Deviance(logSize, best - step) < Critical)
  {
    step *= 2;
  }
  const auto excess = [&](double logOdds) { return Deviance(logSize, logOdds) - Critical; };
  return Logistic(Crossing(best - step, best, true, excess));
}

std::optional<double>
DetectionCurve::SizeWithConfidence(double probability) const
{
  const double logOdds = LogOdds(probability);
  const double best = std::log(SizeAt(probability));
  double       step = 0.01;
  while (Deviance(best + step, logOdds) < Critical)
  {
    step *= 2;
    if (step > 50)
    {
      return {};
    }
  }
  return std::exp(
    Crossing(best, best + step, false, [&](double logSize) { return Deviance(logSize, logOdds) - Critical; }));
}

} // namespace brickccl::batch
