// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickProcess_h
#define itkBrickProcess_h

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/Progress.h"

#include "itkMultiThreaderBase.h"
#include "itkImageBase.h"
#include "itkMacro.h"
#include "itkProcessObject.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

/** Defines GetNameOfClass. ITK's macro for this has another name since 5.4, which 5.2 lacks and the next major version
 * requires. */
#ifdef itkOverrideGetNameOfClassMacro
#  define itkBrickNameOfClassMacro(thisClass, superclass) itkOverrideGetNameOfClassMacro(thisClass)
#else
#  define itkBrickNameOfClassMacro(thisClass, superclass) itkTypeMacro(thisClass, superclass)
#endif

/** The types and the name of every ITK class. The arguments after the class are its superclass, with its commas. */
#define itkBrickClassMacro(thisClass, ...)                                                                             \
  ITK_DISALLOW_COPY_AND_MOVE(thisClass);                                                                               \
  using Self = thisClass;                                                                                              \
  using Superclass = __VA_ARGS__;                                                                                      \
  using Pointer = SmartPointer<Self>;                                                                                  \
  using ConstPointer = SmartPointer<const Self>;                                                                       \
  itkBrickNameOfClassMacro(thisClass, Superclass)

/** The same for a class that is made without arguments, and for one that may be made by New. */
#define itkBrickBaseMacro(thisClass, ...)                                                                              \
protected:                                                                                                             \
  thisClass() = default;                                                                                               \
  ~thisClass() override = default;                                                                                     \
                                                                                                                       \
public:                                                                                                                \
  itkBrickClassMacro(thisClass, __VA_ARGS__)
#define itkBrickFilterMacro(thisClass, ...)                                                                            \
  itkBrickBaseMacro(thisClass, __VA_ARGS__);                                                                           \
  itkNewMacro(Self)

/** Makes a filter request all of its inputs and copy the metadata of the first one to its output. */
#define itkBrickWholeInputMacro()                                                                                      \
  void GenerateOutputInformation() override                                                                            \
  {                                                                                                                    \
    Superclass::GenerateOutputInformation();                                                                           \
    this->GetOutput()->SetMetaDataDictionary(this->GetInput()->GetMetaDataDictionary());                               \
  }                                                                                                                    \
  void GenerateInputRequestedRegion() override                                                                         \
  {                                                                                                                    \
    Superclass::GenerateInputRequestedRegion();                                                                        \
    RequestWholeBrickInputs(this, this->GetInput());                                                                   \
  }

/** As above, for a filter that produces all of its output, whatever region is requested. */
#define itkBrickWholeImageMacro()                                                                                      \
  itkBrickWholeInputMacro();                                                                                           \
  void EnlargeOutputRequestedRegion(DataObject * output) override                                                      \
  {                                                                                                                    \
    output->SetRequestedRegionToLargestPossibleRegion();                                                               \
  }

/** Defines the setter of a member that has no text form; itkSetMacro would print it. */
#define itkBrickSetMacro(name, type)                                                                                   \
  void Set##name(const type & value)                                                                                   \
  {                                                                                                                    \
    if (!(this->m_##name == value))                                                                                    \
    {                                                                                                                  \
      this->m_##name = value;                                                                                          \
      this->Modified();                                                                                                \
    }                                                                                                                  \
  }

/** Defines setter and getter of PeriodicAxes, whose member is m_PeriodicAxes. */
#define itkBrickPeriodicAxesMacro()                                                                                    \
  itkBrickSetMacro(PeriodicAxes, brickccl::PeriodicAxes) itkGetConstReferenceMacro(PeriodicAxes, brickccl::PeriodicAxes)

namespace itk
{

/** Reports the engine's progress as a filter's progress, stage by stage, and passes the filter's AbortGenerateData to
 * the engine. */
class BrickProgress
{
public:
  explicit BrickProgress(ProcessObject * filter)
    : m_Filter(filter)
  {}
  BrickProgress(const BrickProgress &) = delete;
  BrickProgress & operator=(const BrickProgress &) = delete;

  /** The next stage is this share of the filter's work. */
  void
  Stage(double begin, double end)
  {
    m_Begin = begin;
    m_End = end;
  }

  /** Hooks, valid as long as this object. */
  brickccl::ProgressHooks
  Hooks()
  {
    return { [this](double fraction) { Report(fraction); }, [this] { return m_Filter->GetAbortGenerateData(); } };
  }

  /** Reports a fraction of the stage. \throws Canceled if the filter is to stop. */
  void
  Update(double fraction)
  {
    if (m_Filter->GetAbortGenerateData())
    {
      throw brickccl::Canceled();
    }
    Report(fraction);
  }

private:
  void
  Report(double fraction)
  {
    m_Filter->UpdateProgress(static_cast<float>(m_Begin + (m_End - m_Begin) * fraction));
  }

  ProcessObject * m_Filter;
  double          m_Begin = 0;
  double          m_End = 1;
};

/** Runs a filter's work. Errors of the engine become ITK exceptions, and canceling becomes ProcessAborted. */
template <typename TWork>
void
RunBrickWork(const ProcessObject * filter, const TWork & work)
{
  try
  {
    work();
  }
  catch (const brickccl::Canceled &)
  {
    ProcessAborted aborted(__FILE__, __LINE__);
    aborted.SetDescription("the filter was aborted");
    throw aborted;
  }
  catch (const brickccl::Error & error)
  {
    std::ostringstream message;
    message << "ITK ERROR: " << filter->GetNameOfClass() << "(" << filter << "): " << error.what();
    throw ExceptionObject(__FILE__, __LINE__, message.str(), ITK_LOCATION);
  }
}

/** Requests all of a filter's image, and the same region of its other inputs, if there is an image. */
template <typename TImage>
void
RequestWholeBrickInputs(ProcessObject * filter, const TImage * image)
{
  if (image == nullptr)
  {
    return;
  }
  for (const auto & object : filter->GetInputs())
  {
    if (auto * const input = dynamic_cast<ImageBase<TImage::ImageDimension> *>(object.GetPointer()))
    {
      input->SetRequestedRegion(image->GetLargestPossibleRegion());
    }
  }
}

/** The number of threads of a filter. */
inline int
BrickThreadsOf(ProcessObject * filter)
{
  return static_cast<int>(
    std::min(filter->GetNumberOfWorkUnits(), filter->GetMultiThreader()->GetMaximumNumberOfThreads()));
}

/** Calls a function with pieces [begin, end) of `count` items on a filter's threads, band after band. Progress is
 *  reported in between, and the filter can be stopped. The function must not throw. \throws brickccl::Canceled. */
template <typename TFunction>
void
ForBrickPieces(ProcessObject * filter, BrickProgress & progress, std::int64_t count, const TFunction & function)
{
  constexpr std::int64_t bands = 16;
  const std::int64_t     threads = BrickThreadsOf(filter);
  for (std::int64_t band = 0; band < bands; ++band)
  {
    progress.Update(static_cast<double>(band) / bands);
    const std::int64_t begin = count * band / bands;
    const std::int64_t size = count * (band + 1) / bands - begin;
    // A few items are not worth a thread's start.
    const std::int64_t pieces = size < 4096 ? 1 : threads;
    const auto         runPiece = [&](SizeValueType piece) {
      const auto number = static_cast<std::int64_t>(piece);
      function(begin + size * number / pieces, begin + size * (number + 1) / pieces);
    };
    if (pieces == 1)
    {
      runPiece(0);
    }
    else
    {
      filter->GetMultiThreader()->ParallelizeArray(0, static_cast<SizeValueType>(pieces), runPiece, nullptr);
    }
  }
  progress.Update(1);
}

/** The neighbors of a pixel, from FullyConnected. */
inline brickccl::Connectivity
MakeBrickConnectivity(bool isFullyConnected, unsigned int dimension)
{
  return isFullyConnected ? brickccl::Connectivity::Full(static_cast<int>(dimension))
                          : brickccl::Connectivity::Face(static_cast<int>(dimension));
}

} // namespace itk

#endif
