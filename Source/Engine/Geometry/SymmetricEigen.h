// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace brickccl
{

/** The eigenvalues, ascending, and unit eigenvectors (rows) of a symmetric matrix of up to 4 x 4, by Jacobi's
 *  rotations, as exact as any method. In each vector the component of the largest magnitude is positive, so that the
 *  answer is unique. Where eigenvalues are equal, the vectors are one choice of several. */
template <int VSize>
struct EigenSystem
{
  double values[MaximumDimension] = {};
  double vectors[MaximumDimension][MaximumDimension] = {};

  explicit EigenSystem(const double (&matrix)[MaximumDimension][MaximumDimension])
  {
    double a[MaximumDimension][MaximumDimension] = {};
    for (int i = 0; i < VSize; ++i)
    {
      std::copy(matrix[i], matrix[i] + VSize, a[i]);
      vectors[i][i] = 1;
    }
    for (int sweep = 0; sweep < 60; ++sweep)
    {
      double beside = 0;
      for (int p = 0; p < VSize; ++p)
      {
        for (int q = p + 1; q < VSize; ++q)
        {
          beside += std::abs(a[p][q]);
          Rotate(a, p, q);
        }
      }
      if (beside == 0)
      {
        break;
      }
    }
    for (int i = 0; i < VSize; ++i)
    {
      values[i] = a[i][i];
    }
    Sort();
  }

private:
  /** Makes a[p][q] zero by a rotation in the plane of axes p and q. */
  void
  Rotate(double (&a)[MaximumDimension][MaximumDimension], int p, int q)
  {
    // An element that no longer changes its diagonal neighbors is zero.
    if (std::abs(a[p][q]) <= 1e-18 * (std::abs(a[p][p]) + std::abs(a[q][q])))
    {
      a[p][q] = a[q][p] = 0;
      return;
    }
    // The limit 2^60 keeps the square from an overflow.
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double tangent = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const double cosine = 1 / std::sqrt(tangent * tangent + 1);
    const double sine = tangent * cosine;
    const double change = tangent * a[p][q];
    a[p][p] -= change;
    a[q][q] += change;
    a[p][q] = a[q][p] = 0;
    const auto turn = [&](double & first, double & second) {
      const double old = first;
      first = cosine * old - sine * second;
      second = sine * old + cosine * second;
    };
    for (int i = 0; i < VSize; ++i)
    {
      if (i != p && i != q)
      {
        turn(a[i][p], a[i][q]);
        a[p][i] = a[i][p];
        a[q][i] = a[i][q];
      }
      turn(vectors[p][i], vectors[q][i]);
    }
  }

  void
  Sort()
  {
    for (int i = 0; i < VSize; ++i)
    {
      const int least = static_cast<int>(std::min_element(values + i, values + VSize) - values);
      if (least != i)
      {
        std::swap(values[i], values[least]);
        std::swap(vectors[i], vectors[least]);
      }
      double largest = vectors[i][0];
      for (int axis = 1; axis < VSize; ++axis)
      {
        largest = std::abs(vectors[i][axis]) > std::abs(largest) ? vectors[i][axis] : largest;
      }
      if (largest < 0)
      {
        std::transform(vectors[i], vectors[i] + VSize, vectors[i], [](double x) { return -x; });
      }
    }
  }
};

} // namespace brickccl
