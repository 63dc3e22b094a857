// SPDX-License-Identifier: Apache-2.0
#include "itkBrickConnectedComponentImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "ItkImages.h"

#include "itkLabelImageToLabelMapFilter.h"
#include "itkLabelImageToShapeLabelMapFilter.h"
#include "itkLabelMapToLabelImageFilter.h"
#include "itkShapeLabelMapFilter.h"
#include "itkShapeOpeningLabelMapFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/** The filter's measures, compared with ITK's label maps. */
namespace
{

using brickccl::testing::MakeImage;
using brickccl::testing::PixelsOf;

TEST(BrickConnectedComponentImageFilter, ShapesEqualThoseOfItksLabelMaps)
{
  using Image = itk::Image<unsigned char, 3>;
  using Labels = itk::Image<unsigned int, 3>;
  const brickccl::Extent extent{ 60, 50, 40 };
  const auto             voxels = brickccl::MakeRandom(extent, 0.1, 4, 3);
  auto                   image = MakeImage<Image>({ 60, 50, 40 }, 1, true);
  std::copy(voxels.begin(), voxels.end(), image->GetBufferPointer());
  const double spacing[] = { 0.4, 0.7, 1.5 };
  image->SetSpacing(spacing);
  Image::DirectionType direction;
  direction.SetIdentity();
  direction[0][0] = direction[1][1] = std::sqrt(3.0) / 2;
  direction[0][1] = -0.5;
  direction[1][0] = 0.5;
  image->SetDirection(direction);
  auto filter = itk::BrickConnectedComponentImageFilter<Image, Labels>::New();
  filter->SetInput(image);
  filter->SetConnectivity(26);
  filter->SetColumnGroups(brickccl::ColumnGroups::FromNames("shape"));
  filter->Update();
  auto theirs = itk::LabelImageToShapeLabelMapFilter<Labels>::New();
  theirs->SetInput(filter->GetOutput());
  theirs->Update();
  const brickccl::ComponentTable & table = filter->GetComponentTable();
  ASSERT_EQ(table.components.size(), theirs->GetOutput()->GetNumberOfLabelObjects());
  ASSERT_GT(table.components.size(), 10u);
  const auto columns = brickccl::ColumnsOf(table);
  for (const brickccl::ComponentMeasures & component : table.components)
  {
    const auto value = [&](const std::string & name) {
      for (const brickccl::ComponentColumn & column : columns)
      {
        if (column.name == name)
        {
          return std::visit([](auto number) { return static_cast<double>(number); }, column.value(table, component));
        }
      }
      ADD_FAILURE() << "no column " << name;
      return 0.0;
    };
    const auto * object = theirs->GetOutput()->GetLabelObject(static_cast<unsigned int>(component.label));
    EXPECT_NEAR(value("volume_mm3"), object->GetPhysicalSize(), 1e-9);
    EXPECT_NEAR(value("elongation"), object->GetElongation(), 1e-6);
    EXPECT_NEAR(value("flatness"), object->GetFlatness(), 1e-6);
    for (unsigned axis = 0; axis < 3; ++axis)
    {
      const std::string number = std::to_string(axis + 1);
      EXPECT_NEAR(value("principal_moment_" + number + "_mm2"), object->GetPrincipalMoments()[axis], 1e-7);
      EXPECT_NEAR(value("ellipsoid_diameter_" + number + "_mm"), object->GetEquivalentEllipsoidDiameter()[axis], 1e-6);
      double along = 0;
      for (unsigned i = 0; i < 3; ++i)
      {
        along += value("principal_axis_" + number + "_" + "xyz"[i]) * object->GetPrincipalAxes()[axis][i];
      }
      // Cubes have moments that are equal, and then no axes of their own.
      const auto moments = object->GetPrincipalMoments();
      const bool isAlone = (axis == 0 || moments[axis] - moments[axis - 1] > 1e-3) &&
                           (axis == 2 || moments[axis + 1] - moments[axis] > 1e-3);
      EXPECT_NEAR(std::fabs(along), isAlone ? 1 : std::fabs(along), 1e-6);
    }
  }
}

TEST(BrickConnectedComponentImageFilter, SurfacesOfCubicVoxelsEqualThoseOfItksLabelMaps)
{
  using Image = itk::Image<unsigned char, 3>;
  using Labels = itk::Image<unsigned int, 3>;
  auto       image = MakeImage<Image>({ 50, 40, 30 }, 1);
  const auto voxels = brickccl::MakeRandom({ 50, 40, 30 }, 0.2, 3, 4);
  std::copy(voxels.begin(), voxels.end(), image->GetBufferPointer());
  const double spacing[] = { 0.5, 0.5, 0.5 };
  image->SetSpacing(spacing);
  auto filter = itk::BrickConnectedComponentImageFilter<Image, Labels>::New();
  filter->SetInput(image);
  filter->SetColumnGroups(brickccl::ColumnGroups::FromNames("surface"));
  filter->Update();
  auto theirs = itk::LabelImageToShapeLabelMapFilter<Labels>::New();
  theirs->SetInput(filter->GetOutput());
  theirs->Update();
  ASSERT_GT(filter->GetObjectCount(), 10u);
  for (const brickccl::ComponentMeasures & component : filter->GetComponentTable().components)
  {
    const auto * object = theirs->GetOutput()->GetLabelObject(static_cast<unsigned int>(component.label));
    const double surface =
      filter->GetComponentTable().measures.Of<brickccl::SurfaceMeasures>()[component.place].crofton;
    EXPECT_NEAR(surface, object->GetPerimeter(), 1e-9 * surface);
  }
}

using LabelObject = itk::ShapeLabelObject<unsigned int, 3>;

/** Two objects with the same lines and attributes. */
void
ExpectSameObject(const LabelObject * a, const LabelObject * b)
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
  using Attribute = double (*)(const LabelObject *);
  const Attribute attributes[] = { [](const LabelObject * o) { return o->GetPhysicalSize(); },
                                   [](const LabelObject * o) { return o->GetCentroid()[0]; },
                                   [](const LabelObject * o) { return o->GetCentroid()[1]; },
                                   [](const LabelObject * o) { return o->GetCentroid()[2]; },
                                   [](const LabelObject * o) { return o->GetPerimeterOnBorder(); },
                                   [](const LabelObject * o) { return o->GetPerimeterOnBorderRatio(); },
                                   [](const LabelObject * o) { return o->GetFeretDiameter(); },
                                   [](const LabelObject * o) { return o->GetPrincipalMoments()[0]; },
                                   [](const LabelObject * o) { return o->GetPrincipalMoments()[2]; },
                                   [](const LabelObject * o) { return o->GetElongation(); },
                                   [](const LabelObject * o) { return o->GetFlatness(); },
                                   [](const LabelObject * o) { return o->GetPerimeter(); },
                                   [](const LabelObject * o) { return o->GetRoundness(); },
                                   [](const LabelObject * o) { return o->GetEquivalentSphericalRadius(); },
                                   [](const LabelObject * o) { return o->GetEquivalentSphericalPerimeter(); },
                                   [](const LabelObject * o) { return o->GetEquivalentEllipsoidDiameter()[1]; } };
  for (std::size_t i = 0; i < std::size(attributes); ++i)
  {
    const double should = attributes[i](b);
    EXPECT_NEAR(attributes[i](a), should, 1e-6 * (1 + std::fabs(should)))
      << "attribute " << i << " of " << a->GetLabel();
  }
  // Axes of equal moments are any; then boxes along them differ, too.
  const auto moments = b->GetPrincipalMoments();
  if (moments[1] - moments[0] > 1e-3 && moments[2] - moments[1] > 1e-3)
  {
    for (unsigned axis = 0; axis < 3; ++axis)
    {
      EXPECT_NEAR(a->GetOrientedBoundingBoxSize()[axis], b->GetOrientedBoundingBoxSize()[axis], 1e-6);
    }
  }
}

TEST(BrickConnectedComponentImageFilter, LabelMapsHaveTheLinesAndAttributesOfItksOwn)
{
  using Image = itk::Image<short, 3>;
  using Labels = itk::Image<unsigned int, 3>;
  using LabelMap = itk::LabelMap<LabelObject>;
  auto       image = MakeImage<Image>({ 50, 40, 30 }, 1, true);
  const auto voxels = brickccl::MakeRandom({ 50, 40, 30 }, 0.15, 3, 4);
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    image->GetBufferPointer()[i] = static_cast<short>(voxels[i] ? 100 + brickccl::HashOf(3, i) % 900 : 0);
  }
  const double spacing[] = { 0.5, 0.5, 0.5 };
  image->SetSpacing(spacing);
  auto filter = itk::BrickConnectedComponentImageFilter<Image, Labels>::New();
  filter->SetInput(image);
  EXPECT_THROW(filter->MakeLabelMap<LabelMap>(), itk::ExceptionObject) << "before Update";
  filter->SetColumnGroups(brickccl::ColumnGroups::FromNames("feret"));
  filter->Update();
  const LabelMap::Pointer ours = filter->MakeLabelMap<LabelMap>();

  auto lines = itk::LabelImageToLabelMapFilter<Labels, LabelMap>::New();
  lines->SetInput(filter->GetOutput());
  auto theirs = itk::ShapeLabelMapFilter<LabelMap>::New();
  theirs->SetInput(lines->GetOutput());
  theirs->SetComputeFeretDiameter(true);
  theirs->SetComputeOrientedBoundingBox(true);
  theirs->Update();
  ASSERT_EQ(ours->GetNumberOfLabelObjects(), theirs->GetOutput()->GetNumberOfLabelObjects());
  ASSERT_GT(ours->GetNumberOfLabelObjects(), 20u);
  EXPECT_EQ(ours->GetLargestPossibleRegion(), image->GetLargestPossibleRegion());
  EXPECT_EQ(ours->GetSpacing(), image->GetSpacing());
  for (unsigned int label = 1; label <= ours->GetNumberOfLabelObjects(); ++label)
  {
    ExpectSameObject(ours->GetLabelObject(label), theirs->GetOutput()->GetLabelObject(label));
  }

  // ITK's label map filters continue from here.
  auto opening = itk::ShapeOpeningLabelMapFilter<LabelMap>::New();
  opening->SetInput(ours);
  opening->SetAttribute(LabelObject::NUMBER_OF_PIXELS);
  opening->SetLambda(100);
  auto back = itk::LabelMapToLabelImageFilter<LabelMap, Labels>::New();
  back->SetInput(opening->GetOutput());
  back->Update();
  const auto & table = filter->GetComponentTable();
  const auto   before = PixelsOf(filter->GetOutput());
  const auto   after = PixelsOf(back->GetOutput());
  for (std::size_t i = 0; i < before.size(); ++i)
  {
    const bool stays = before[i] != 0 && table.components[before[i] - 1].voxelCount >= 100;
    ASSERT_EQ(after[i], stays ? before[i] : 0u);
  }
}

} // namespace
