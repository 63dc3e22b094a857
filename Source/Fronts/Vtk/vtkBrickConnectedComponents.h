// SPDX-License-Identifier: Apache-2.0
#ifndef vtkBrickConnectedComponents_h
#define vtkBrickConnectedComponents_h

#include <vtkImageAlgorithm.h>

#include <memory>
#include <string>

class vtkTable;

/** Labels the connected components of an image's array: its active point scalars, or the point or cell array chosen
 *  with SetInputArrayToProcess.
 *
 *  Output 0 is the input with one more point or cell array, "Labels", as the active scalars. 0 is background;
 *  components are 1..N in raster order (x fastest) or by size. The labels have the requested type, or else the
 *  smallest of unsigned char, unsigned short, int and unsigned long long that holds N. Blanked points and cells
 *  (vtkDataSetAttributes::HIDDENPOINT, HIDDENCELL, REFINEDCELL) are background. Output 1 is a vtkTable with one row
 *  for each component. It has the columns of BrickCCL's component table. Physical points are in the coordinates of
 *  the image, assumed to be mm in the columns' names; a cell is a voxel around its center.
 *
 *  Ports 1 to 3 are optional images on the same grid (see InputType).
 *
 *  The voxels are not copied if they are contiguous in memory. The filter always requests the whole extent. Several
 *  components of an array are the channels of one voxel. Errors go through vtkErrorMacro. After an error or
 *  AbortExecute both outputs are empty. Labels are the same for every number of threads and every device. */
class vtkBrickConnectedComponents : public vtkImageAlgorithm
{
public:
  static vtkBrickConnectedComponents * New();
  vtkTypeMacro(vtkBrickConnectedComponents, vtkImageAlgorithm) // ends with a function
    void PrintSelf(ostream & stream, vtkIndent indent) override;

  /** The ports, which are also the indices of SetInputArrayToProcess. Each uses its port's active point scalars
   *  unless another array is chosen, which may be on port 0. */
  enum InputType
  {
    /** The image to label. */
    Image,
    /** Voxels where it is 0 are background. */
    Mask,
    /** Values for the table's intensity columns. */
    Intensity,
    /** Nonzero inside the inspected part, for the table's distances to the part's surface. */
    Part
  };

  /** The neighbors to join. */
  enum CriterionType
  {
    /** Voxels that differ from BackgroundValue. */
    Foreground,
    /** Voxels with LowerThreshold <= value <= UpperThreshold. */
    Range,
    /** Foreground voxels of equal value: the segments of a segmentation. */
    EqualValue,
    /** Foreground voxels whose values differ by at most Tolerance. */
    Tolerance
  };

  /** 6 (default), 18 or 26 neighbors. For an image one voxel thick also 4 or 8. */
  vtkSetMacro(Connectivity, int);
  vtkGetMacro(Connectivity, int);
  /** The axes along which the image continues at its other end, as "xz". None by default. */
  vtkSetMacro(PeriodicAxes, std::string);
  vtkGetMacro(PeriodicAxes, std::string);

  vtkSetClampMacro(Criterion, int, Foreground, Tolerance);
  vtkGetMacro(Criterion, int);
  void
  SetCriterionToForeground()
  {
    this->SetCriterion(Foreground);
  }
  void
  SetCriterionToRange()
  {
    this->SetCriterion(Range);
  }
  void
  SetCriterionToEqualValue()
  {
    this->SetCriterion(EqualValue);
  }
  void
  SetCriterionToTolerance()
  {
    this->SetCriterion(Tolerance);
  }

  /** 0 by default. */
  vtkSetMacro(BackgroundValue, double);
  vtkGetMacro(BackgroundValue, double);
  /** By default the range contains every value. */
  vtkSetMacro(LowerThreshold, double);
  vtkGetMacro(LowerThreshold, double);
  vtkSetMacro(UpperThreshold, double);
  vtkGetMacro(UpperThreshold, double);
  /** 0 by default, which is the same as EqualValue. */
  vtkSetMacro(ToleranceValue, double);
  vtkGetMacro(ToleranceValue, double);

  /** Components with fewer voxels become background. 0 by default. */
  vtkSetMacro(MinimumSize, vtkIdType);
  vtkGetMacro(MinimumSize, vtkIdType);
  /** Components with more voxels become background. 0, the default: no limit. */
  vtkSetMacro(MaximumSize, vtkIdType);
  vtkGetMacro(MaximumSize, vtkIdType);
  /** Components with less volume (area in 2-D) become background. 0 by default. */
  vtkSetMacro(MinimumVolume, double);
  vtkGetMacro(MinimumVolume, double);
  /** Keep only this many of the largest components. 0, the default, keeps all. */
  vtkSetMacro(NumberOfLargest, vtkIdType);
  vtkGetMacro(NumberOfLargest, vtkIdType);
  /** Orders labels by size, the largest first, instead of in raster order. Off by default. */
  vtkSetMacro(SortBySize, bool);
  vtkGetMacro(SortBySize, bool);
  vtkBooleanMacro(SortBySize, bool);

  /** VTK_UNSIGNED_CHAR, VTK_UNSIGNED_SHORT, VTK_INT or VTK_UNSIGNED_LONG_LONG. VTK_VOID, the default, means the
   *  smallest that fits. A type that is too small is an error. */
  vtkSetMacro(OutputScalarType, int);
  vtkGetMacro(OutputScalarType, int);

  /** Groups of columns in addition to the default ones, separated by commas, for example "shape,surface". None by
   *  default. */
  vtkSetMacro(ColumnGroups, std::string);
  vtkGetMacro(ColumnGroups, std::string);
  /** Whether to fill output 1. On by default. */
  vtkSetMacro(MakeTable, bool);
  vtkGetMacro(MakeTable, bool);
  vtkBooleanMacro(MakeTable, bool);

  /** 0, the default, means all. */
  vtkSetMacro(NumberOfThreads, int);
  vtkGetMacro(NumberOfThreads, int);
  /** "auto" (default), "cpu", "cuda" or "cuda:N". The CPU replaces a device that cannot be used, with a warning. */
  vtkSetMacro(Device, std::string);
  vtkGetMacro(Device, std::string);

  /** Valid after an update. */
  vtkGetMacro(NumberOfComponents, vtkIdType);
  vtkTable * GetTable();

protected:
  vtkBrickConnectedComponents();
  ~vtkBrickConnectedComponents() override;

  int FillInputPortInformation(int port, vtkInformation * info) override;
  int FillOutputPortInformation(int port, vtkInformation * info) override;
  int RequestInformation(vtkInformation *, vtkInformationVector **, vtkInformationVector *) override;
  int RequestUpdateExtent(vtkInformation *, vtkInformationVector **, vtkInformationVector *) override;
  int RequestData(vtkInformation *, vtkInformationVector **, vtkInformationVector *) override;

private:
  vtkBrickConnectedComponents(const vtkBrickConnectedComponents &) = delete;
  void operator=(const vtkBrickConnectedComponents &) = delete;

  /** Labels the inputs. The outputs are empty before the call. */
  void Label(vtkInformationVector ** inputs, vtkImageData * output, vtkTable * table);

  /** The result; its memory is reused. */
  class Internals;
  std::unique_ptr<Internals> m_Internals;

  int         Connectivity = 6;
  int         Criterion = Foreground;
  double      BackgroundValue = 0;
  double      LowerThreshold;
  double      UpperThreshold;
  double      ToleranceValue = 0;
  std::string PeriodicAxes;
  vtkIdType   MinimumSize = 0;
  vtkIdType   MaximumSize = 0;
  double      MinimumVolume = 0;
  vtkIdType   NumberOfLargest = 0;
  bool        SortBySize = false;
  int         OutputScalarType;
  std::string ColumnGroups;
  bool        MakeTable = true;
  int         NumberOfThreads = 0;
  std::string Device = "auto";
  vtkIdType   NumberOfComponents = 0;
};

#endif
