// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_LABEL_MAPS_H
#define BRICKCCL_TESTING_LABEL_MAPS_H

#include "itkIntTypes.h"

#include <gtest/gtest.h>

#include <cmath>

/** Compares the label maps of two filters. */
namespace brickccl::testing
{

inline void
ExpectNear(double value, double expected, const char * name)
{
  EXPECT_NEAR(value, expected, 1e-6 * (1 + std::fabs(expected))) << name;
}

template <typename TObject>
void
ExpectSameShape(const TObject * a, const TObject * b, bool isIsotropic)
{
  ASSERT_EQ(a->GetNumberOfLines(), b->GetNumberOfLines());
  for (itk::SizeValueType i = 0; i < a->GetNumberOfLines(); ++i)
  {
    ASSERT_EQ(a->GetLine(i).GetIndex(), b->GetLine(i).GetIndex());
    ASSERT_EQ(a->GetLine(i).GetLength(), b->GetLine(i).GetLength());
  }
  EXPECT_EQ(a->GetBoundingBox(), b->GetBoundingBox());
  EXPECT_EQ(a->GetNumberOfPixels(), b->GetNumberOfPixels());
  EXPECT_EQ(a->GetNumberOfPixelsOnBorder(), b->GetNumberOfPixelsOnBorder());
  ExpectNear(a->GetPhysicalSize(), b->GetPhysicalSize(), "physical size");
  ExpectNear(a->GetPerimeterOnBorder(), b->GetPerimeterOnBorder(), "perimeter on border");
  ExpectNear(a->GetFeretDiameter(), b->GetFeretDiameter(), "Feret diameter");
  // Moments of nothing but rounding give ratios that mean nothing.
  if (a->GetPrincipalMoments()[0] > 1e-6)
  {
    ExpectNear(a->GetElongation(), b->GetElongation(), "elongation");
    ExpectNear(a->GetFlatness(), b->GetFlatness(), "flatness");
  }
  ExpectNear(a->GetEquivalentSphericalRadius(), b->GetEquivalentSphericalRadius(), "radius");
  ExpectNear(a->GetEquivalentSphericalPerimeter(), b->GetEquivalentSphericalPerimeter(), "spherical perimeter");
  bool isBoxUnique = true;
  for (unsigned axis = 0; axis < TObject::ImageDimension; ++axis)
  {
    ExpectNear(a->GetCentroid()[axis], b->GetCentroid()[axis], "centroid");
    ExpectNear(a->GetPrincipalMoments()[axis], b->GetPrincipalMoments()[axis], "moments");
    isBoxUnique =
      isBoxUnique && (axis == 0 || b->GetPrincipalMoments()[axis] - b->GetPrincipalMoments()[axis - 1] > 1e-3);
  }
  if (isIsotropic)
  {
    ExpectNear(a->GetPerimeter(), b->GetPerimeter(), "perimeter");
    ExpectNear(a->GetRoundness(), b->GetRoundness(), "roundness");
    ExpectNear(a->GetPerimeterOnBorderRatio(), b->GetPerimeterOnBorderRatio(), "perimeter on border ratio");
  }
  for (unsigned axis = 0; axis < TObject::ImageDimension && isBoxUnique; ++axis)
  {
    ExpectNear(a->GetOrientedBoundingBoxSize()[axis], b->GetOrientedBoundingBoxSize()[axis], "oriented box");
  }
}

template <typename TOurs, typename TTheirs>
void
ExpectSameShapes(TOurs * ours, TTheirs * theirs, bool isIsotropic)
{
  ours->Update();
  theirs->Update();
  const auto * a = ours->GetOutput();
  const auto * b = theirs->GetOutput();
  EXPECT_EQ(a->GetBackgroundValue(), b->GetBackgroundValue());
  EXPECT_EQ(a->GetLargestPossibleRegion(), b->GetLargestPossibleRegion());
  EXPECT_EQ(a->GetSpacing(), b->GetSpacing());
  ASSERT_EQ(a->GetLabels(), b->GetLabels());
  ASSERT_GT(a->GetNumberOfLabelObjects(), 0u);
  for (const auto label : a->GetLabels())
  {
    ExpectSameShape(a->GetLabelObject(label), b->GetLabelObject(label), isIsotropic);
  }
}

} // namespace brickccl::testing

#endif
