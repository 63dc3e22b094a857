#ifndef vtkBrickConnectedComponents_h
#define vtkBrickConnectedComponents_h

#include <vtkImageAlgorithm.h>

#include <memory>
#include <string>

class vtkTable;

/** Labels the connected components of the input's active point scalars.
 *
 *  Output 0 is an image with the input's extent, spacing, origin and direction, and with the point scalars "Labels". 0
 *  is background; components are 1..N in raster order (x fastest) or by size. The scalars' type is the one that is
 *  asked for, or else the smallest of unsigned char, unsigned short, int and unsigned long long that holds N. Output 1
 *  is a vtkTable with one row for each component. Its columns are those of BrickCCL's component table. Physical points
 *  are in the coordinates of the image, which the units in the columns' names take as mm.
 *
 *  The voxels are not copied if they lie one behind the other in memory. The filter always asks for the whole extent.
 *  Several components of a scalar are the channels of one voxel. Errors go through vtkErrorMacro. They leave both
 *  outputs empty, and so does AbortExecute. Labels are the same for every number of threads and every device. */
class vtkBrickConnectedComponents : public vtkImageAlgorithm
{
public:
  static vtkBrickConnectedComponents * New();
  vtkTypeMacro(vtkBrickConnectedComponents, vtkImageAlgorithm) // ends with a function
    void PrintSelf(ostream & stream, vtkIndent indent) override;

  /** Which neighbours are joined. */
  enum CriterionType
  {
    /** Voxels that differ from BackgroundValue. */
    Foreground,
    /** Voxels with LowerThreshold <= value <= UpperThreshold. */
    Range,
    /** Foreground voxels of equal value, that is, the parts of a segmentation. */
    EqualValue,
    /** Foreground voxels whose values differ by at most Tolerance. */
    Tolerance
  };

  /** 6 (default), 18 or 26 neighbours. An image that is one voxel thick may also have 4 or 8. */
  vtkSetMacro(Connectivity, int);
  vtkGetMacro(Connectivity, int);

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
  /** By default the range holds every value. */
  vtkSetMacro(LowerThreshold, double);
  vtkGetMacro(LowerThreshold, double);
  vtkSetMacro(UpperThreshold, double);
  vtkGetMacro(UpperThreshold, double);
  /** 0 by default, which is the same as EqualValue. */
  vtkSetMacro(ToleranceValue, double);
  vtkGetMacro(ToleranceValue, double);

  /** Components of fewer voxels become background. 0 by default. */
  vtkSetMacro(MinimumSize, vtkIdType);
  vtkGetMacro(MinimumSize, vtkIdType);
  /** Only so many of the largest components stay. 0, the default, keeps all. */
  vtkSetMacro(NumberOfLargest, vtkIdType);
  vtkGetMacro(NumberOfLargest, vtkIdType);
  /** Orders labels by size, the largest first, instead of in raster order. Off by default. */
  vtkSetMacro(SortBySize, bool);
  vtkGetMacro(SortBySize, bool);
  vtkBooleanMacro(SortBySize, bool);

  /** VTK_UNSIGNED_CHAR, VTK_UNSIGNED_SHORT, VTK_INT or VTK_UNSIGNED_LONG_LONG. VTK_VOID, the default, stands for the
   *  smallest that fits. A type that is too small is an error. */
  vtkSetMacro(OutputScalarType, int);
  vtkGetMacro(OutputScalarType, int);

  /** Groups of columns beside the default ones, separated by commas, for example "shape,surface". None by default. */
  vtkSetMacro(ColumnGroups, std::string);
  vtkGetMacro(ColumnGroups, std::string);
  /** Whether output 1 is filled. On by default. */
  vtkSetMacro(MakeTable, bool);
  vtkGetMacro(MakeTable, bool);
  vtkBooleanMacro(MakeTable, bool);

  /** 0, the default, stands for all. */
  vtkSetMacro(NumberOfThreads, int);
  vtkGetMacro(NumberOfThreads, int);
  /** "auto", "cpu" (default), "cuda" or "cuda:N". */
  vtkSetMacro(Device, std::string);
  vtkGetMacro(Device, std::string);

  /** Valid after an update. */
  vtkGetMacro(NumberOfComponents, vtkIdType);
  vtkTable * GetTable();

protected:
  vtkBrickConnectedComponents();
  ~vtkBrickConnectedComponents() override;

  int FillOutputPortInformation(int port, vtkInformation * info) override;
  int RequestInformation(vtkInformation *, vtkInformationVector **, vtkInformationVector *) override;
  int RequestUpdateExtent(vtkInformation *, vtkInformationVector **, vtkInformationVector *) override;
  int RequestData(vtkInformation *, vtkInformationVector **, vtkInformationVector *) override;

private:
  vtkBrickConnectedComponents(const vtkBrickConnectedComponents &) = delete;
  void operator=(const vtkBrickConnectedComponents &) = delete;

  /** Labels `input`. The outputs are empty before the call. */
  void Label(vtkImageData * input, vtkImageData * output, vtkTable * table);

  /** The result; its memory is used again. */
  class Internals;
  std::unique_ptr<Internals> m_Internals;

  int         Connectivity = 6;
  int         Criterion = Foreground;
  double      BackgroundValue = 0;
  double      LowerThreshold;
  double      UpperThreshold;
  double      ToleranceValue = 0;
  vtkIdType   MinimumSize = 0;
  vtkIdType   NumberOfLargest = 0;
  bool        SortBySize = false;
  int         OutputScalarType;
  std::string ColumnGroups;
  bool        MakeTable = true;
  int         NumberOfThreads = 0;
  std::string Device = "cpu";
  vtkIdType   NumberOfComponents = 0;
};

#endif
