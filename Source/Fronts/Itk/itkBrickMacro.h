// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickMacro_h
#define itkBrickMacro_h

#include "BrickCCL/Core/Connectivity.h"

#include "itkMacro.h"

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

/** The neighbors of a pixel, from FullyConnected. */
inline brickccl::Connectivity
MakeBrickConnectivity(bool isFullyConnected, unsigned int dimension)
{
  return isFullyConnected ? brickccl::Connectivity::Full(static_cast<int>(dimension))
                          : brickccl::Connectivity::Face(static_cast<int>(dimension));
}

} // namespace itk

#endif
