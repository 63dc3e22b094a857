// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickMacro_h
#define itkBrickMacro_h

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

#endif
