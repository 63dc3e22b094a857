// SPDX-License-Identifier: Apache-2.0
#include "FloodFill.h"
#include "VtkImages.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <gtest/gtest.h>

#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkNew.h>
#include <vtkTable.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace brickccl
{
namespace
{

using namespace brickccl::testing;

vtkSmartPointer<vtkUnsignedCharArray>
MakeArray(const char * name, const std::vector<std::uint8_t> & values)
{
  auto array = vtkSmartPointer<vtkUnsignedCharArray>::New();
  array->SetName(name);
  array->SetNumberOfValues(static_cast<vtkIdType>(values.size()));
  std::copy(values.begin(), values.end(), array->GetPointer(0));
  return array;
}

std::vector<std::uint64_t>
OracleOf(const std::vector<std::uint8_t> & voxels, const Extent & size)
{
  FloodFillProblem problem;
  problem.extent = size;
  problem.values.assign(voxels.begin(), voxels.end());
  problem.rank = 1;
  return FloodFill(problem);
}

std::vector<std::uint64_t>
ValuesOf(vtkDataArray * array)
{
  std::vector<std::uint64_t> values;
  for (vtkIdType i = 0; array != nullptr && i < array->GetNumberOfTuples(); ++i)
  {
    values.push_back(static_cast<std::uint64_t>(array->GetComponent(i, 0)));
  }
  return values;
}

TEST(VtkFilter, AnArrayThatIsNamedIsLabeledAndTheOthersPass)
{
  const auto active = MakeRandom(extent, 0.4, 1, 5);
  const auto named = MakeRandom(extent, 0.4, 1, 6);
  const auto image = MakeImage(active, extent);
  image->GetPointData()->GetScalars()->SetName("active");
  image->GetPointData()->AddArray(MakeArray("named", named));
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(image);
  filter->SetInputArrayToProcess(0, 0, 0, vtkDataObject::FIELD_ASSOCIATION_POINTS, "named");
  filter->Update();
  vtkPointData * const points = filter->GetOutput()->GetPointData();
  EXPECT_EQ(LabelsOf(filter), OracleOf(named, extent));
  EXPECT_EQ(points->GetNumberOfArrays(), 3);
  EXPECT_EQ(points->GetArray("active"), image->GetPointData()->GetArray("active"));
  EXPECT_EQ(points->GetArray("named"), image->GetPointData()->GetArray("named"));
  EXPECT_EQ(image->GetPointData()->GetNumberOfArrays(), 2);
}

TEST(VtkFilter, CellsAreLabeledAndTheTableHasTheirCenters)
{
  // As many cells as there are voxels, less one along each axis.
  const Extent cells{ 36, 19, 10 };
  const auto   values = MakeRandom(cells, 0.4, 1, 7);
  const auto   image = MakeImage(MakeRandom(extent, 0.4, 1, 5), extent);
  const double turned[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
  image->SetDirectionMatrix(turned);
  image->GetCellData()->AddArray(MakeArray("material", values));
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(image);
  filter->SetInputArrayToProcess(0, 0, 0, vtkDataObject::FIELD_ASSOCIATION_CELLS, "material");
  filter->Update();
  const auto labels = ValuesOf(filter->GetOutput()->GetCellData()->GetScalars());
  EXPECT_EQ(labels, OracleOf(values, cells));
  EXPECT_NE(filter->GetOutput()->GetCellData()->GetArray("material"), nullptr);
  EXPECT_EQ(filter->GetOutput()->GetPointData()->GetArray("Labels"), nullptr);
  double    center[3] = {};
  vtkIdType count = 0;
  for (vtkIdType cell = 0; cell < image->GetNumberOfCells(); ++cell)
  {
    if (labels[static_cast<std::size_t>(cell)] == 1)
    {
      ++count;
      double corners[2][3];
      image->GetPoint(image->GetCell(cell)->GetPointId(0), corners[0]);
      image->GetPoint(image->GetCell(cell)->GetPointId(7), corners[1]);
      for (int axis = 0; axis < 3; ++axis)
      {
        center[axis] += (corners[0][axis] + corners[1][axis]) / 2;
      }
    }
  }
  vtkTable * const table = filter->GetTable();
  const char *     names[] = { "centroid_x_mm", "centroid_y_mm", "centroid_z_mm" };
  for (int axis = 0; axis < 3; ++axis)
  {
    EXPECT_NEAR(table->GetValueByName(0, names[axis]).ToDouble(), center[axis] / static_cast<double>(count), 1e-9);
  }
}

TEST(VtkFilter, BlankedPointsAndCellsAreBackground)
{
  const auto voxels = MakeRandom(extent, 0.7, 1, 5);
  const auto hidden = MakeRandom(extent, 0.3, 1, 6);
  auto       left = voxels;
  const auto image = MakeImage(voxels, extent);
  image->AllocatePointGhostArray();
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    left[i] = hidden[i] != 0 ? 0 : voxels[i];
    image->GetPointGhostArray()->SetValue(static_cast<vtkIdType>(i),
                                          hidden[i] != 0 ? vtkDataSetAttributes::HIDDENPOINT
                                                         : vtkDataSetAttributes::DUPLICATEPOINT);
  }
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(image);
  filter->Update();
  EXPECT_EQ(LabelsOf(filter), OracleOf(left, extent));

  // A mask as well.
  const auto mask = MakeRandom(extent, 0.8, 1, 9);
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    left[i] = mask[i] != 0 ? left[i] : 0;
  }
  filter->SetInputData(vtkBrickConnectedComponents::Mask, MakeImage(mask, extent, VTK_FLOAT));
  filter->Update();
  EXPECT_EQ(LabelsOf(filter), OracleOf(left, extent));

  const Extent cells{ 36, 19, 10 };
  auto         values = MakeRandom(cells, 0.7, 1, 7);
  const auto   grid = MakeImage(voxels, extent);
  grid->GetCellData()->AddArray(MakeArray("material", values));
  grid->AllocateCellGhostArray();
  for (std::size_t i = 0; i < values.size(); i += 3)
  {
    grid->GetCellGhostArray()->SetValue(static_cast<vtkIdType>(i), vtkDataSetAttributes::HIDDENCELL);
    values[i] = 0;
  }
  vtkNew<vtkBrickConnectedComponents> ofCells;
  ofCells->SetInputData(grid);
  ofCells->SetInputArrayToProcess(0, 0, 0, vtkDataObject::FIELD_ASSOCIATION_CELLS, "material");
  ofCells->Update();
  EXPECT_EQ(ValuesOf(ofCells->GetOutput()->GetCellData()->GetScalars()), OracleOf(values, cells));
}

TEST(VtkFilter, OtherInputsAndLimitsAreThoseOfTheLibrary)
{
  using Filter = vtkBrickConnectedComponents;
  const auto voxels = MakeRandom(extent, 0.3, 1, 5);
  const auto part = MakeRandom(extent, 0.9, 1, 6);
  const auto gray = MakeRandom(extent, 0.5, 1, 8);
  const auto image = MakeImage(voxels, extent);
  image->GetPointData()->AddArray(MakeArray("gray", gray));
  for (const bool isPeriodic : { false, true })
  {
    LabelOptions options;
    options.mask = ImageView(part.data(), extent);
    options.periodic = PeriodicAxes::FromNames(isPeriodic ? "xz" : "");
    options.relabel.maximumSize = 20;
    options.minimumVolume = 0.5;
    options.geometry = { { 0.5, 0.25, 2 }, { 10, -20, 30 } };
    options.geometry.startIndex[0] = 3;
    options.geometry.startIndex[1] = -2;
    const Labeling             expected = Label(ImageView(voxels.data(), extent), options);
    std::vector<std::uint64_t> labels(voxels.size());
    expected.Write(labels.data());
    MeasureOptions measure(ImageView(gray.data(), extent));
    vtkNew<Filter> filter;
    filter->SetInputData(image);
    filter->SetInputData(Filter::Mask, MakeImage(part, extent));
    // One more array of the image takes the place of an image of its own.
    filter->SetInputArrayToProcess(Filter::Intensity, 0, 0, vtkDataObject::FIELD_ASSOCIATION_POINTS, "gray");
    if (!isPeriodic)
    {
      measure.part = options.mask;
      filter->SetInputData(Filter::Part, MakeImage(part, extent, VTK_DOUBLE));
    }
    filter->SetPeriodicAxes(options.periodic.ToString());
    filter->SetMaximumSize(20);
    filter->SetMinimumVolume(0.5);
    filter->Update();
    EXPECT_EQ(LabelsOf(filter), labels);
    const ComponentTable measured = expected.Measure(measure);
    vtkTable * const     table = filter->GetTable();
    ASSERT_EQ(table->GetNumberOfRows(), static_cast<vtkIdType>(measured.components.size()));
    ASSERT_GT(table->GetNumberOfRows(), 20);
    ASSERT_EQ(table->GetNumberOfColumns(), static_cast<vtkIdType>(ColumnsOf(measured).size()));
    for (const ComponentColumn & column : ColumnsOf(measured))
    {
      for (vtkIdType row = 0; row < table->GetNumberOfRows(); ++row)
      {
        const auto   value = column.value(measured, measured.components[static_cast<std::size_t>(row)]);
        const double number = std::visit([](auto any) { return static_cast<double>(any); }, value);
        const double found = table->GetValueByName(row, column.name.c_str()).ToDouble();
        EXPECT_TRUE(found == number || (std::isnan(found) && std::isnan(number))) << column.name << " of row " << row;
      }
    }
  }
}

} // namespace
} // namespace brickccl
