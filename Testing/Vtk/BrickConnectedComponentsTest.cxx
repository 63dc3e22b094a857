// SPDX-License-Identifier: Apache-2.0
#include "FloodFill.h"
#include "SlowBuild.h"
#include "VtkImages.h"
#include "vtkBrickConnectedComponents.h"
#include "Patterns.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Host/ProcessMemory.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <gtest/gtest.h>

#include <vtkCallbackCommand.h>
#include <vtkDataArray.h>
#include <vtkExecutive.h>
#include <vtkImageData.h>
#include <vtkMatrix3x3.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkSOADataArrayTemplate.h>
#include <vtkSmartPointer.h>
#include <vtkTable.h>
#include <vtkTestErrorObserver.h>

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

using namespace brickccl::testing;

TEST(VtkFilter, LabelsAreThoseOfTheFloodFillForEveryTypeAndConnectivity)
{
  const auto voxels = MakeRandom(extent, 0.4, 1, 5);
  for (const int type : { VTK_CHAR,
                          VTK_SIGNED_CHAR,
                          VTK_UNSIGNED_CHAR,
                          VTK_SHORT,
                          VTK_UNSIGNED_SHORT,
                          VTK_INT,
                          VTK_UNSIGNED_INT,
                          VTK_LONG,
                          VTK_UNSIGNED_LONG,
                          VTK_LONG_LONG,
                          VTK_UNSIGNED_LONG_LONG,
                          VTK_FLOAT,
                          VTK_DOUBLE,
                          VTK_ID_TYPE })
  {
    for (const int neighbors : { 6, 18, 26 })
    {
      FloodFillProblem problem;
      problem.extent = extent;
      problem.values.assign(voxels.begin(), voxels.end());
      problem.rank = neighbors == 6 ? 1 : neighbors == 18 ? 2 : 3;
      vtkNew<vtkBrickConnectedComponents> filter;
      filter->SetInputData(MakeImage(voxels, extent, type));
      filter->SetConnectivity(neighbors);
      filter->Update();
      ASSERT_EQ(LabelsOf(filter), FloodFill(problem)) << "type " << type << ", " << neighbors << " neighbors";
    }
  }
}

TEST(VtkFilter, TheGridIsKeptAndTheTableIsInItsSpace)
{
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  voxels[static_cast<std::size_t>((4 * 20 + 5) * 37 + 6)] = 1;
  const auto   image = MakeImage(voxels, extent);
  const double direction[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
  image->SetDirectionMatrix(direction);
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(image);
  filter->Update();
  vtkImageData * output = filter->GetOutput();
  for (int i = 0; i < 6; ++i)
  {
    EXPECT_EQ(output->GetExtent()[i], image->GetExtent()[i]);
  }
  for (int i = 0; i < 9; ++i)
  {
    EXPECT_EQ(output->GetDirectionMatrix()->GetData()[i], direction[i]);
  }
  ASSERT_EQ(filter->GetNumberOfComponents(), 1);
  double       point[3];
  const double expected[3] = { 3 + 6, -2 + 5, 4 };
  image->TransformContinuousIndexToPhysicalPoint(expected, point);
  vtkTable * table = filter->GetTable();
  ASSERT_EQ(table->GetNumberOfRows(), 1);
  EXPECT_DOUBLE_EQ(table->GetValueByName(0, "centroid_x_mm").ToDouble(), point[0]);
  EXPECT_DOUBLE_EQ(table->GetValueByName(0, "centroid_y_mm").ToDouble(), point[1]);
  EXPECT_DOUBLE_EQ(table->GetValueByName(0, "centroid_z_mm").ToDouble(), point[2]);
  EXPECT_DOUBLE_EQ(table->GetValueByName(0, "volume_mm3").ToDouble(), 0.25);
  EXPECT_STREQ(output->GetPointData()->GetScalars()->GetName(), "Labels");
  EXPECT_EQ(output->GetScalarType(), VTK_UNSIGNED_CHAR);
}

TEST(VtkFilter, ParametersChangeTheResultAndAnUpdateMakesItAnew)
{
  const auto                          voxels = MakeRandom(extent, 0.3, 1, 6);
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(MakeImage(voxels, extent));
  filter->Update();
  const vtkIdType all = filter->GetNumberOfComponents();
  filter->SetNumberOfLargest(3);
  filter->SortBySizeOn();
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfComponents(), 3);
  EXPECT_GE(filter->GetTable()->GetValueByName(0, "voxels").ToInt(),
            filter->GetTable()->GetValueByName(2, "voxels").ToInt());
  filter->SetNumberOfLargest(0);
  filter->SetCriterionToRange();
  filter->SetLowerThreshold(0);
  filter->SetUpperThreshold(0);
  filter->Update();
  EXPECT_NE(filter->GetNumberOfComponents(), all);
  filter->SetCriterionToForeground();
  filter->SortBySizeOff();
  filter->MakeTableOff();
  filter->SetOutputScalarType(VTK_INT);
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfComponents(), all);
  EXPECT_EQ(filter->GetTable()->GetNumberOfColumns(), 0);
  EXPECT_EQ(filter->GetOutput()->GetScalarType(), VTK_INT);
}

TEST(VtkFilter, AnImageOfOneSliceTakesFourOrEightNeighbors)
{
  const Extent flat{ 30, 20, 1 };
  const auto   voxels = MakeRandom({ 30, 20 }, 0.5, 1, 8);
  for (const int neighbors : { 4, 8 })
  {
    FloodFillProblem problem;
    problem.extent = { 30, 20 };
    problem.values.assign(voxels.begin(), voxels.end());
    problem.rank = neighbors == 4 ? 1 : 2;
    vtkNew<vtkBrickConnectedComponents> filter;
    filter->SetInputData(MakeImage(voxels, flat));
    filter->SetConnectivity(neighbors);
    filter->Update();
    EXPECT_EQ(LabelsOf(filter), FloodFill(problem));
    EXPECT_NE(filter->GetTable()->GetColumnByName("area_mm2"), nullptr);
  }
}

TEST(VtkFilter, VoxelsThatDoNotLieOneBehindTheOtherAreRead)
{
  const auto voxels = MakeRandom(extent, 0.4, 1, 9);
  const auto image = MakeImage(voxels, extent);
  const auto apart = vtkSmartPointer<vtkSOADataArrayTemplate<std::uint8_t>>::New();
  apart->SetNumberOfComponents(2);
  apart->SetNumberOfTuples(extent.VoxelCount());
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    apart->SetComponent(static_cast<vtkIdType>(i), 0, voxels[i]);
    apart->SetComponent(static_cast<vtkIdType>(i), 1, 0);
  }
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(image);
  filter->Update();
  const auto expected = LabelsOf(filter);
  image->GetPointData()->SetScalars(apart);
  filter->Modified();
  filter->Update();
  EXPECT_EQ(LabelsOf(filter), expected);
}

/** The bytes of memory that an update needs beyond those in use before it. */
std::uint64_t
MemoryOfAnUpdate(vtkBrickConnectedComponents * filter)
{
  ForgetPeakMemory();
  const std::uint64_t before = PeakMemoryBytes();
  filter->Update();
  return PeakMemoryBytes() - before;
}

TEST(VtkFilter, TheImageIsNotCopiedAndLabelsAreWrittenWhereTheyStay)
{
  if (testing::IsSlowBuild)
  {
    GTEST_SKIP() << "sanitizers have memory of their own";
  }
  const Extent       cube{ 256, 256, 256 };
  const auto         image = MakeImage(MakeBalls(cube, 0.2, 1), cube, VTK_FLOAT);
  const auto         bytes = sizeof(float) * static_cast<std::uint64_t>(cube.VoxelCount());
  auto * const       scalars = image->GetPointData()->GetScalars();
  const auto         stamp = scalars->GetMTime();
  const void * const voxels = scalars->GetVoidPointer(0);

  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(image);
  filter->SetOutputScalarType(VTK_INT);
  const std::uint64_t needed = MemoryOfAnUpdate(filter);
  // The labels are as large as the image. A copy of the image, or of the labels, would need twice as much.
  EXPECT_GE(needed, bytes * 9 / 10) << "the system does not tell of memory";
  EXPECT_LT(needed, bytes * 3 / 2);
  EXPECT_EQ(image->GetPointData()->GetScalars(), scalars);
  EXPECT_EQ(scalars->GetVoidPointer(0), voxels);
  EXPECT_EQ(scalars->GetMTime(), stamp);

  // Voxels that do not lie one behind the other have to be copied, which is what the comparison above would find.
  const auto apart = vtkSmartPointer<vtkSOADataArrayTemplate<float>>::New();
  apart->DeepCopy(scalars);
  image->GetPointData()->SetScalars(apart);
  vtkNew<vtkBrickConnectedComponents> other;
  other->SetInputData(image);
  other->SetOutputScalarType(VTK_INT);
  EXPECT_GT(MemoryOfAnUpdate(other), bytes * 3 / 2);
}

TEST(VtkFilter, ErrorsAreVtkErrorsAndLeaveNothing)
{
  const auto voxels = MakeRandom(extent, 0.4, 1, 5);
  const auto messageOf = [&](const auto & change) {
    vtkNew<vtkBrickConnectedComponents> filter;
    vtkNew<vtkTest::ErrorObserver>      observer;
    filter->SetInputData(MakeImage(voxels, extent));
    filter->AddObserver(vtkCommand::ErrorEvent, observer);
    filter->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, observer);
    change(filter.Get());
    filter->Update();
    EXPECT_TRUE(observer->GetError());
    EXPECT_TRUE(LabelsOf(filter).empty());
    EXPECT_EQ(filter->GetTable()->GetNumberOfRows(), 0);
    return observer->GetErrorMessage();
  };
  using Filter = vtkBrickConnectedComponents;
  EXPECT_NE(messageOf([](Filter * f) { f->SetConnectivity(5); }).find("choose 6, 18 or 26"), std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) { f->SetConnectivity(8); }).find("one voxel thick"), std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) { f->SetOutputScalarType(VTK_FLOAT); }).find("float"), std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) { f->SetColumnGroups("color"); }).find("color"), std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) { f->SetDevice("tpu"); }).find("tpu"), std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) { f->SetMinimumSize(-1); }).find("at least 0"), std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) {
              const auto moved = MakeImage(MakeRandom(extent, 0.4, 1, 5), extent);
              moved->SetOrigin(10, -20, 30.1);
              f->SetInputData(Filter::Mask, moved);
            }).find("the mask must have one component, the grid of the image"),
            std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) {
              f->SetInputArrayToProcess(0, 0, 0, vtkDataObject::FIELD_ASSOCIATION_CELLS, "none");
            }).find("no numeric array for the image"),
            std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) { f->SetPeriodicAxes("q"); }).find("periodic axes"), std::string::npos);
  EXPECT_NE(messageOf([](Filter * f) {
              f->SetCriterionToTolerance();
              f->SetToleranceValue(-1);
            }).find("tolerance"),
            std::string::npos);
}

TEST(VtkFilter, ATypeThatIsTooSmallIsAnError)
{
  const Extent                        board{ 20, 20, 4 };
  vtkNew<vtkBrickConnectedComponents> filter;
  vtkNew<vtkTest::ErrorObserver>      observer;
  filter->SetInputData(MakeImage(MakeCheckerboard(board), board));
  filter->AddObserver(vtkCommand::ErrorEvent, observer);
  filter->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, observer);
  filter->SetOutputScalarType(VTK_UNSIGNED_CHAR);
  filter->Update();
  EXPECT_NE(observer->GetErrorMessage().find("uint16"), std::string::npos) << observer->GetErrorMessage();
  EXPECT_TRUE(LabelsOf(filter).empty());
}

TEST(VtkFilter, ProgressEndsAtOneAndAbortLeavesNothing)
{
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(MakeImage(MakeRandom(extent, 0.4, 1, 5), extent));
  struct Heard
  {
    double last = 0;
    bool   falls = false;
    bool   aborts = false;
  } heard;
  vtkNew<vtkCallbackCommand> listener;
  listener->SetClientData(&heard);
  listener->SetCallback([](vtkObject * caller, unsigned long, void * data, void *) {
    auto &       own = *static_cast<Heard *>(data);
    auto * const algorithm = static_cast<vtkAlgorithm *>(caller);
    own.falls = own.falls || algorithm->GetProgress() < own.last;
    own.last = algorithm->GetProgress();
    if (own.aborts && own.last > 0)
    {
      algorithm->SetAbortExecute(1);
    }
  });
  filter->AddObserver(vtkCommand::ProgressEvent, listener);
  filter->Update();
  EXPECT_EQ(heard.last, 1);
  EXPECT_FALSE(heard.falls);
  heard = Heard{ 0, false, true };
  filter->Modified();
  filter->Update();
  EXPECT_TRUE(LabelsOf(filter).empty());
  filter->RemoveObserver(listener);
  filter->SetAbortExecute(0);
  filter->Modified();
  filter->Update();
  EXPECT_FALSE(LabelsOf(filter).empty());
}

} // namespace
} // namespace brickccl
