// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_DETECTION_H
#define BRICKCCL_BATCH_DETECTION_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** A true defect, and whether it was found. */
struct Detection
{
  /** Above 0. */
  double size = 0;
  bool   isHit = false;
};

/** The probability of detection against size, from hits and misses, as MIL-HDBK-1823A fits it:
 *
 *      POD(size) = 1 / (1 + exp(-(intercept + slope ln(size))))
 *
 *  by maximum likelihood. Its lower bound at a size is one-sided, of 95 % confidence, from the likelihood ratio: the
 *  lowest probability with which the best curve through it has a log-likelihood of at most 2.706 / 2 less than the best
 *  curve of all (the 90 % point of chi-squared with one degree of freedom). */
class DetectionCurve
{
public:
  explicit DetectionCurve(const std::vector<Detection> & detections);

  /** Why there is no curve: a sentence without a full stop; empty if there is one. */
  const std::string &
  Problem() const
  {
    return m_Problem;
  }

  std::size_t
  Count() const
  {
    return m_Sizes.size();
  }
  std::size_t
  HitCount() const
  {
    return m_HitCount;
  }

  /** These ask for a curve. */
  double
  Slope() const
  {
    return m_Slope;
  }
  double Intercept() const;
  /** The probability at a size, and its lower bound. */
  double Probability(double size) const;
  double LowerBound(double size) const;
  /** The size at which the probability is `probability`. */
  double SizeAt(double probability) const;
  /** The size at which the lower bound reaches `probability`; nothing if the data bound no such size. */
  std::optional<double> SizeWithConfidence(double probability) const;

private:
  void        Fit();
  std::string WhyNoCurve() const;
  /** How much less likely the best curve is that passes through a point: twice the difference of log-likelihoods. */
  double Deviance(double logSize, double logOdds) const;
  /** The log-likelihood of a curve: log-odds `value` at the logarithm `place`, and its slope. */
  double LogLikelihood(double place, double value, double slope) const;

  /** Logarithms of the sizes, and for each whether it is a hit. */
  std::vector<double> m_Sizes;
  std::vector<bool>   m_Hits;
  std::size_t         m_HitCount = 0;
  double              m_MeanSize = 0;
  /** The log-odds at the mean of the logarithms. */
  double      m_Middle = 0;
  double      m_Slope = 0;
  double      m_Best = 0;
  std::string m_Problem;
};

/** Writes a chart of the curve with its lower bound, and of the hits and misses: .svg or .png.
 *  \param unit  of the sizes. \throws InvalidArgument for another extension, or if there is no curve; Error. */
void WriteDetectionChart(const std::string &            path,
                         const DetectionCurve &         curve,
                         const std::vector<Detection> & detections,
                         const std::string &            unit);

} // namespace brickccl::batch

#endif
