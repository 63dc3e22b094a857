#include "BrickCCL/Vtk/vtkBrickConnectedComponents.h"

#include "BrickCCL/Dispatch/Label.h"

#include <vtkDataArray.h>
#include <vtkDoubleArray.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkMatrix3x3.h>
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
  this->SetNumberOfOutputPorts(2);
}

vtkBrickConnectedComponents::~vtkBrickConnectedComponents() = default;

namespace
{

/** The voxels of an array, in the order in which they lie in memory. \throws Unsupported for types that are not
 *  numbers. */
brickccl::ImageView
ViewOf(vtkDataArray * scalars, const brickccl::Extent & extent)
{
  const void * voxels = scalars->GetVoidPointer(0);
  const int    channels = scalars->GetNumberOfComponents();
  switch (scalars->GetDataType())
  {
    vtkTemplateMacro(return brickccl::ImageView(static_cast<const VTK_TT *>(voxels), extent, channels));
  }
  throw brickccl::Unsupported(std::string("scalars of the type ") + scalars->GetDataTypeAsString() +
                              " are not labeled; they must be numbers");
}

/** The connectivity of a number of neighbours. \throws InvalidArgument, which says what fits. */
brickccl::Connectivity
ConnectivityFor(int neighbours, const brickccl::Extent & extent)
{
  if (extent.dimension == 2 || neighbours == 6 || neighbours == 18 || neighbours == 26)
  {
    // A plane has the neighbours of a volume that is one voxel thick: of 6 it keeps 4, of 18 or 26 it keeps 8.
    const int inPlane = neighbours == 6 ? 4 : neighbours == 18 || neighbours == 26 ? 8 : neighbours;
    return extent.dimension == 2 ? brickccl::Connectivity::FromNeighbourCount(inPlane, 2)
                                 : brickccl::Connectivity::FromNeighbourCount(neighbours, 3);
  }
  const bool isThin = extent.size[0] == 1 || extent.size[1] == 1 || extent.size[2] == 1;
  if (isThin && (neighbours == 4 || neighbours == 8))
  {
    return brickccl::Connectivity(3, neighbours == 4 ? 1 : 2);
  }
  throw brickccl::InvalidArgument("connectivity " + std::to_string(neighbours) + " does not fit an image of " +
                                  extent.ToString() + " voxels; choose 6, 18 or 26" +
                                  (isThin ? ", 4 or 8" : " (4 and 8 are for images that are one voxel thick)"));
}

/** Whether the image's x and y axes lie in the xy plane of space. */
bool
KeepsPlane(vtkMatrix3x3 * direction)
{
  return direction->GetElement(0, 2) == 0 && direction->GetElement(1, 2) == 0 && direction->GetElement(2, 0) == 0 &&
         direction->GetElement(2, 1) == 0;
}

brickccl::Geometry
GeometryOf(vtkImageData * image, int dimension)
{
  brickccl::Geometry geometry;
  const int *        extent = image->GetExtent();
  vtkMatrix3x3 *     direction = image->GetDirectionMatrix();
  for (int axis = 0; axis < dimension; ++axis)
  {
    geometry.spacing[axis] = image->GetSpacing()[axis];
    geometry.origin[axis] = image->GetOrigin()[axis];
    geometry.startIndex[axis] = extent[std::ptrdiff_t{ 2 } * axis];
    for (int column = 0; column < dimension; ++column)
    {
      geometry.direction[axis][column] = direction->GetElement(axis, column);
    }
  }
  return geometry;
}

/** The label type that a VTK type stands for. An int holds the labels of uint32 up to its own largest value. */
brickccl::LabelType
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

int
SmallestVtkType(std::uint64_t components)
{
  return components <= VTK_UNSIGNED_CHAR_MAX  ? VTK_UNSIGNED_CHAR
       : components <= VTK_UNSIGNED_SHORT_MAX ? VTK_UNSIGNED_SHORT
       : components <= VTK_INT_MAX            ? VTK_INT
                                              : VTK_UNSIGNED_LONG_LONG;
}

void
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

} // namespace

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
  // The type is known only when the components are.
  vtkDataObject::SetPointDataActiveScalarInfo(outputs->GetInformationObject(0),
                                              this->OutputScalarType == VTK_VOID ? VTK_INT : this->OutputScalarType,
                                              1);
  return this->Superclass::RequestInformation(request, inputs, outputs);
}

int
vtkBrickConnectedComponents::RequestUpdateExtent(vtkInformation *,
                                                 vtkInformationVector ** inputs,
                                                 vtkInformationVector *)
{
  vtkInformation * input = inputs[0]->GetInformationObject(0);
  int              whole[6];
  input->Get(vtkStreamingDemandDrivenPipeline::WHOLE_EXTENT(), whole);
  input->Set(vtkStreamingDemandDrivenPipeline::UPDATE_EXTENT(), whole, 6);
  return 1;
}

int
vtkBrickConnectedComponents::RequestData(vtkInformation *,
                                         vtkInformationVector ** inputs,
                                         vtkInformationVector *  outputs)
{
  vtkImageData * input = vtkImageData::GetData(inputs[0]);
  vtkImageData * output = vtkImageData::GetData(outputs, 0);
  vtkTable *     table = vtkTable::GetData(outputs, 1);
  this->NumberOfComponents = 0;
  output->Initialize();
  table->Initialize();
  try
  {
    this->Label(input, output, table);
    return 1;
  }
  catch (const brickccl::Cancelled &)
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
vtkBrickConnectedComponents::Label(vtkImageData * input, vtkImageData * output, vtkTable * table)
{
  vtkDataArray * scalars = input->GetPointData()->GetScalars();
  if (scalars == nullptr)
  {
    throw brickccl::InvalidArgument("the input image has no active point scalars, which are what is labeled");
  }
  int dimensions[3];
  input->GetDimensions(dimensions);
  if (input->GetNumberOfPoints() == 0)
  {
    throw brickccl::InvalidArgument("the input image has no points");
  }
  const std::int64_t sizes[3] = { dimensions[0], dimensions[1], dimensions[2] };
  const int          dimension = dimensions[2] == 1 && KeepsPlane(input->GetDirectionMatrix()) ? 2 : 3;

  brickccl::LabelOptions options;
  const brickccl::Extent extent(dimension, sizes);
  options.connectivity = ConnectivityFor(this->Connectivity, extent);
  switch (this->Criterion)
  {
  case Range:
    options.criterion = brickccl::Criterion::InRange(this->LowerThreshold, this->UpperThreshold);
    break;
  case EqualValue:
    options.criterion = brickccl::Criterion::EqualValue(this->BackgroundValue);
    break;
  case Tolerance:
    options.criterion = brickccl::Criterion::Tolerance(this->ToleranceValue, this->BackgroundValue);
    break;
  default:
    options.criterion = brickccl::Criterion::Foreground(this->BackgroundValue);
  }
  if (this->MinimumSize < 0 || this->NumberOfLargest < 0)
  {
    throw brickccl::InvalidArgument("MinimumSize and NumberOfLargest must be at least 0");
  }
  options.relabel.minimumSize = static_cast<std::uint64_t>(this->MinimumSize);
  options.relabel.largest = static_cast<std::uint64_t>(this->NumberOfLargest);
  options.relabel.order = this->SortBySize ? brickccl::LabelOrder::Size : brickccl::LabelOrder::Raster;
  options.geometry = GeometryOf(input, dimension);
  options.threads = this->NumberOfThreads;
  options.device = brickccl::Device::FromName(this->Device);
  // Labeling is most of the work if no table is asked for, and about half of it if one is.
  options.progress.report = [this](double fraction) { this->UpdateProgress(0.5 * fraction); };
  options.progress.cancelled = [this] { return this->GetAbortExecute() != 0; };

  vtkSmartPointer<vtkDataArray> contiguous = scalars;
  if (!scalars->HasStandardMemoryLayout())
  {
    contiguous.TakeReference(vtkDataArray::CreateDataArray(scalars->GetDataType()));
    contiguous->DeepCopy(scalars);
  }
  brickccl::Labeling & labeling = m_Internals->labeling;
  brickccl::Label(ViewOf(contiguous, extent), options, labeling);
  this->NumberOfComponents = static_cast<vtkIdType>(labeling.ComponentCount());

  const int type =
    this->OutputScalarType == VTK_VOID ? SmallestVtkType(labeling.ComponentCount()) : this->OutputScalarType;
  const brickccl::LabelType labelType = LabelTypeOf(type);
  if (type == VTK_INT && labeling.ComponentCount() > VTK_INT_MAX)
  {
    throw brickccl::LabelOverflow(std::to_string(labeling.ComponentCount()) +
                                  " components do not fit int; use unsigned long long");
  }
  output->CopyStructure(input);
  output->AllocateScalars(type, 1);
  output->GetPointData()->GetScalars()->SetName("Labels");
  brickccl::ProgressHooks rest;
  rest.report = [this](double fraction) { this->UpdateProgress(0.5 + 0.25 * fraction); };
  rest.cancelled = options.progress.cancelled;
  labeling.Write(output->GetScalarPointer(), labelType, rest);
  if (this->MakeTable)
  {
    brickccl::MeasureOptions measure;
    measure.groups = brickccl::ColumnGroups::FromNames(this->ColumnGroups);
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
         << indent << "Criterion: " << this->Criterion << '\n'
         << indent << "BackgroundValue: " << this->BackgroundValue << '\n'
         << indent << "LowerThreshold: " << this->LowerThreshold << '\n'
         << indent << "UpperThreshold: " << this->UpperThreshold << '\n'
         << indent << "ToleranceValue: " << this->ToleranceValue << '\n'
         << indent << "MinimumSize: " << this->MinimumSize << '\n'
         << indent << "NumberOfLargest: " << this->NumberOfLargest << '\n'
         << indent << "SortBySize: " << this->SortBySize << '\n'
         << indent << "OutputScalarType: " << this->OutputScalarType << '\n'
         << indent << "ColumnGroups: " << this->ColumnGroups << '\n'
         << indent << "MakeTable: " << this->MakeTable << '\n'
         << indent << "NumberOfThreads: " << this->NumberOfThreads << '\n'
         << indent << "Device: " << this->Device << '\n'
         << indent << "NumberOfComponents: " << this->NumberOfComponents << '\n';
}
