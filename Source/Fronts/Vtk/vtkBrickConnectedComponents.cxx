// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/vtkBrickConnectedComponents.h"

#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Vtk/FilterInputs.h"

#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkDoubleArray.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkObjectFactory.h>
#include <vtkPointData.h>
#include <vtkSmartPointer.h>
#include <vtkStreamingDemandDrivenPipeline.h>
#include <vtkTable.h>
#include <vtkTypeInt64Array.h>
#include <vtkTypeUInt64Array.h>

#include <exception>
#include <limits>
#include <variant>

class vtkBrickConnectedComponents::Internals
{
public:
  brickccl::Labeling labeling;
};

vtkStandardNewMacro(vtkBrickConnectedComponents);

vtkBrickConnectedComponents::vtkBrickConnectedComponents()
  : m_Internals(std::make_unique<Internals>())
  , LowerThreshold(-std::numeric_limits<double>::infinity())
  , UpperThreshold(std::numeric_limits<double>::infinity())
  , OutputScalarType(VTK_VOID)
{
  this->SetNumberOfInputPorts(4);
  this->SetNumberOfOutputPorts(2);
  for (const int input : { Mask, Intensity, Part })
  {
    this->SetInputArrayToProcess(input,
                                 input,
                                 0,
                                 vtkDataObject::FIELD_ASSOCIATION_POINTS,
                                 vtkDataSetAttributes::SCALARS);
  }
}

vtkBrickConnectedComponents::~vtkBrickConnectedComponents() = default;

/** The connectivity of a number of neighbors. \throws InvalidArgument, which says what fits. */
static brickccl::Connectivity
ConnectivityFor(int neighbors, const brickccl::Extent & extent)
{
  if (extent.dimension == 2 || neighbors == 6 || neighbors == 18 || neighbors == 26)
  {
    // A plane has the neighbors of a volume that is one voxel thick: of 6 it keeps 4, of 18 or 26 it keeps 8.
    const int inPlane = neighbors == 6 ? 4 : neighbors == 18 || neighbors == 26 ? 8 : neighbors;
    return extent.dimension == 2 ? brickccl::Connectivity::FromNeighborCount(inPlane, 2)
                                 : brickccl::Connectivity::FromNeighborCount(neighbors, 3);
  }
  const bool isThin = extent.size[0] == 1 || extent.size[1] == 1 || extent.size[2] == 1;
  if (isThin && (neighbors == 4 || neighbors == 8))
  {
    return brickccl::Connectivity(3, neighbors == 4 ? 1 : 2);
  }
  throw brickccl::InvalidArgument("connectivity " + std::to_string(neighbors) + " does not fit an image of " +
                                  extent.ToString() + " voxels; choose 6, 18 or 26" +
                                  (isThin ? ", 4 or 8" : " (4 and 8 are for images that are one voxel thick)"));
}

/** The label type of a VTK type. An int holds the labels of uint32 up to its own largest value. */
static brickccl::LabelType
LabelTypeOf(int vtkType)
{
  switch (vtkType)
  {
  case VTK_UNSIGNED_CHAR:
    return brickccl::LabelType::UInt8;
  case VTK_UNSIGNED_SHORT:
    return brickccl::LabelType::UInt16;
  case VTK_INT:
    return brickccl::LabelType::UInt32;
  case VTK_UNSIGNED_LONG_LONG:
    return brickccl::LabelType::UInt64;
  default:
    throw brickccl::InvalidArgument("the output scalar type " + std::string(vtkImageScalarTypeNameMacro(vtkType)) +
                                    " is not one of unsigned char, unsigned short, int, unsigned long long");
  }
}

static int
SmallestVtkType(std::uint64_t components)
{
  return components <= VTK_UNSIGNED_CHAR_MAX  ? VTK_UNSIGNED_CHAR
       : components <= VTK_UNSIGNED_SHORT_MAX ? VTK_UNSIGNED_SHORT
       : components <= VTK_INT_MAX            ? VTK_INT
                                              : VTK_UNSIGNED_LONG_LONG;
}

/** The options from the filter's parameters. \throws InvalidArgument for invalid values. */
static brickccl::LabelOptions
OptionsOf(vtkBrickConnectedComponents * filter, brickccl::FilterInputs & inputs)
{
  using Filter = vtkBrickConnectedComponents;
  brickccl::LabelOptions options;
  options.connectivity = ConnectivityFor(filter->GetConnectivity(), inputs.extent);
  options.periodic = brickccl::PeriodicAxes::FromNames(filter->GetPeriodicAxes());
  options.mask = inputs.ViewMask();
  switch (filter->GetCriterion())
  {
  case Filter::Range:
    options.criterion = brickccl::Criterion::InRange(filter->GetLowerThreshold(), filter->GetUpperThreshold());
    break;
  case Filter::EqualValue:
    options.criterion = brickccl::Criterion::EqualValue(filter->GetBackgroundValue());
    break;
  case Filter::Tolerance:
    options.criterion = brickccl::Criterion::Tolerance(filter->GetToleranceValue(), filter->GetBackgroundValue());
    break;
  default:
    options.criterion = brickccl::Criterion::Foreground(filter->GetBackgroundValue());
  }
  brickccl::ThrowIf<brickccl::InvalidArgument>(filter->GetMinimumSize() < 0 || filter->GetMaximumSize() < 0 ||
                                                 filter->GetNumberOfLargest() < 0,
                                               "MinimumSize, MaximumSize and NumberOfLargest must be at least 0");
  options.relabel.minimumSize = static_cast<std::uint64_t>(filter->GetMinimumSize());
  if (filter->GetMaximumSize() > 0)
  {
    options.relabel.maximumSize = static_cast<std::uint64_t>(filter->GetMaximumSize());
  }
  options.minimumVolume = filter->GetMinimumVolume();
  options.relabel.largest = static_cast<std::uint64_t>(filter->GetNumberOfLargest());
  options.relabel.order = filter->GetSortBySize() ? brickccl::LabelOrder::Size : brickccl::LabelOrder::Raster;
  options.geometry = inputs.GetGeometry();
  options.threads = filter->GetNumberOfThreads();
  options.device = brickccl::Device::FromName(filter->GetDevice());
  return options;
}

static void
FillTable(const brickccl::ComponentTable & components, vtkTable * table)
{
  const auto rows = static_cast<vtkIdType>(components.components.size());
  for (const brickccl::ComponentColumn & column : brickccl::ColumnsOf(components))
  {
    const auto fill = [&](auto array, auto tag) {
      using Value = decltype(tag);
      array->SetName(column.name.c_str());
      array->SetNumberOfValues(rows);
      vtkIdType row = 0;
      for (const brickccl::ComponentMeasures & component : components.components)
      {
        array->SetValue(row++, std::get<Value>(column.value(components, component)));
      }
      table->AddColumn(array);
    };
    const auto sample =
      rows > 0 ? column.value(components, components.components.front()) : brickccl::ComponentColumn::Value{ 0.0 };
    if (std::holds_alternative<std::uint64_t>(sample))
    {
      fill(vtkSmartPointer<vtkTypeUInt64Array>::New(), std::uint64_t{});
    }
    else if (std::holds_alternative<std::int64_t>(sample))
    {
      fill(vtkSmartPointer<vtkTypeInt64Array>::New(), std::int64_t{});
    }
    else
    {
      fill(vtkSmartPointer<vtkDoubleArray>::New(), double{});
    }
  }
}

int
vtkBrickConnectedComponents::FillInputPortInformation(int port, vtkInformation * info)
{
  if (port != Image)
  {
    info->Set(vtkAlgorithm::INPUT_IS_OPTIONAL(), 1);
  }
  return this->Superclass::FillInputPortInformation(port, info);
}

int
vtkBrickConnectedComponents::FillOutputPortInformation(int port, vtkInformation * info)
{
  if (port == 1)
  {
    info->Set(vtkDataObject::DATA_TYPE_NAME(), "vtkTable");
    return 1;
  }
  return this->Superclass::FillOutputPortInformation(port, info);
}

int
vtkBrickConnectedComponents::RequestInformation(vtkInformation *        request,
                                                vtkInformationVector ** inputs,
                                                vtkInformationVector *  outputs)
{
  const bool areCells = this->GetInputArrayInformation(Image)->Get(vtkDataObject::FIELD_ASSOCIATION()) ==
                        vtkDataObject::FIELD_ASSOCIATION_CELLS;
  // The type is known only when the components are.
  vtkDataObject::SetActiveAttributeInfo(outputs->GetInformationObject(0),
                                        areCells ? vtkDataObject::FIELD_ASSOCIATION_CELLS
                                                 : vtkDataObject::FIELD_ASSOCIATION_POINTS,
                                        vtkDataSetAttributes::SCALARS,
                                        "Labels",
                                        this->OutputScalarType == VTK_VOID ? VTK_INT : this->OutputScalarType,
                                        1,
                                        -1);
  return this->Superclass::RequestInformation(request, inputs, outputs);
}

int
vtkBrickConnectedComponents::RequestUpdateExtent(vtkInformation *,
                                                 vtkInformationVector ** inputs,
                                                 vtkInformationVector *)
{
  for (int port = 0; port < this->GetNumberOfInputPorts(); ++port)
  {
    if (vtkInformation * const input = inputs[port]->GetInformationObject(0))
    {
      int whole[6];
      input->Get(vtkStreamingDemandDrivenPipeline::WHOLE_EXTENT(), whole);
      input->Set(vtkStreamingDemandDrivenPipeline::UPDATE_EXTENT(), whole, 6);
    }
  }
  return 1;
}

int
vtkBrickConnectedComponents::RequestData(vtkInformation *,
                                         vtkInformationVector ** inputs,
                                         vtkInformationVector *  outputs)
{
  vtkImageData * output = vtkImageData::GetData(outputs, 0);
  vtkTable *     table = vtkTable::GetData(outputs, 1);
  this->NumberOfComponents = 0;
  output->Initialize();
  table->Initialize();
  try
  {
    this->Label(inputs, output, table);
    return 1;
  }
  catch (const brickccl::Canceled &)
  {
    output->Initialize();
    table->Initialize();
    return 1;
  }
  catch (const std::exception & error)
  {
    output->Initialize();
    table->Initialize();
    vtkErrorMacro(<< error.what());
    return 0;
  }
}

void
vtkBrickConnectedComponents::Label(vtkInformationVector ** inputs, vtkImageData * output, vtkTable * table)
{
  brickccl::FilterInputs own(this, inputs, [&](int input, int & association) {
    return this->GetInputArrayToProcess(input, inputs, association);
  });
  brickccl::LabelOptions options = OptionsOf(this, own);
  // Labeling is most of the work if no table is asked for, and about half of it if one is.
  options.progress.report = [this](double fraction) { this->UpdateProgress(0.5 * fraction); };
  options.progress.canceled = [this] { return this->GetAbortExecute() != 0; };

  brickccl::Labeling & labeling = m_Internals->labeling;
  brickccl::Label(*own.View(Image), options, labeling);
  if (!labeling.UsedDevice().remark.empty())
  {
    vtkWarningMacro(<< labeling.UsedDevice().remark);
  }
  this->NumberOfComponents = static_cast<vtkIdType>(labeling.ComponentCount());

  const int type =
    this->OutputScalarType == VTK_VOID ? SmallestVtkType(labeling.ComponentCount()) : this->OutputScalarType;
  const brickccl::LabelType labelType = LabelTypeOf(type);
  brickccl::ThrowIf<brickccl::LabelOverflow>(type == VTK_INT && labeling.ComponentCount() > VTK_INT_MAX,
                                             std::to_string(labeling.ComponentCount()) +
                                               " components do not fit int; use unsigned long long");
  vtkSmartPointer<vtkDataArray> labels;
  labels.TakeReference(vtkDataArray::CreateDataArray(type));
  labels->SetName("Labels");
  labels->SetNumberOfTuples(own.extent.VoxelCount());
  brickccl::ProgressHooks rest;
  rest.report = [this](double fraction) { this->UpdateProgress(0.5 + 0.25 * fraction); };
  rest.canceled = options.progress.canceled;
  labeling.Write(labels->GetVoidPointer(0), labelType, rest);
  output->ShallowCopy(own.image);
  vtkDataSetAttributes * const attributes =
    own.areCells ? static_cast<vtkDataSetAttributes *>(output->GetCellData()) : output->GetPointData();
  attributes->AddArray(labels);
  attributes->SetActiveScalars("Labels");
  if (this->MakeTable)
  {
    brickccl::MeasureOptions measure;
    measure.groups = brickccl::ColumnGroups::FromNames(this->ColumnGroups);
    measure.intensity = own.View(Intensity);
    measure.part = own.View(Part);
    rest.report = [this](double fraction) { this->UpdateProgress(0.75 + 0.25 * fraction); };
    FillTable(labeling.Measure(measure, rest), table);
  }
  this->UpdateProgress(1);
}

vtkTable *
vtkBrickConnectedComponents::GetTable()
{
  return vtkTable::SafeDownCast(this->GetOutputDataObject(1));
}

void
vtkBrickConnectedComponents::PrintSelf(ostream & stream, vtkIndent indent)
{
  this->Superclass::PrintSelf(stream, indent);
  stream << indent << "Connectivity: " << this->Connectivity << '\n'
         << indent << "PeriodicAxes: " << this->PeriodicAxes << '\n'
         << indent << "Criterion: " << this->Criterion << '\n'
         << indent << "BackgroundValue: " << this->BackgroundValue << '\n'
         << indent << "LowerThreshold: " << this->LowerThreshold << '\n'
         << indent << "UpperThreshold: " << this->UpperThreshold << '\n'
         << indent << "ToleranceValue: " << this->ToleranceValue << '\n'
         << indent << "MinimumSize: " << this->MinimumSize << '\n'
         << indent << "MaximumSize: " << this->MaximumSize << '\n'
         << indent << "MinimumVolume: " << this->MinimumVolume << '\n'
         << indent << "NumberOfLargest: " << this->NumberOfLargest << '\n'
         << indent << "SortBySize: " << this->SortBySize << '\n'
         << indent << "OutputScalarType: " << this->OutputScalarType << '\n'
         << indent << "ColumnGroups: " << this->ColumnGroups << '\n'
         << indent << "MakeTable: " << this->MakeTable << '\n'
         << indent << "NumberOfThreads: " << this->NumberOfThreads << '\n'
         << indent << "Device: " << this->Device << '\n'
         << indent << "NumberOfComponents: " << this->NumberOfComponents << '\n';
}
