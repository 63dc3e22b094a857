#ifndef itkBrickMacro_h
#define itkBrickMacro_h

#include "itkMacro.h"

/** Gives a class GetNameOfClass. ITK's macro for this has another name from 5.4 on, which 5.2 does not know and the
 * next major version will insist on. */
#ifdef itkOverrideGetNameOfClassMacro
#  define itkBrickNameOfClassMacro(thisClass, superclass) itkOverrideGetNameOfClassMacro(thisClass)
#else
#  define itkBrickNameOfClassMacro(thisClass, superclass) itkTypeMacro(thisClass, superclass)
#endif

/** The types and the name that every class of ITK has. What follows the class is its superclass, with its commas. */
#define itkBrickClassMacro(thisClass, ...)                                                                             \
  ITK_DISALLOW_COPY_AND_MOVE(thisClass);                                                                               \
  using Self = thisClass;                                                                                              \
  using Superclass = __VA_ARGS__;                                                                                      \
  using Pointer = SmartPointer<Self>;                                                                                  \
  using ConstPointer = SmartPointer<const Self>;                                                                       \
  itkBrickNameOfClassMacro(thisClass, Superclass)

/** Makes a filter ask for all of its inputs and give its output the metadata of the first one. */
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

/** The same for a filter that makes all of its output, whatever region is requested. */
#define itkBrickWholeImageMacro()                                                                                      \
  itkBrickWholeInputMacro();                                                                                           \
  void EnlargeOutputRequestedRegion(DataObject * output) override                                                      \
  {                                                                                                                    \
    output->SetRequestedRegionToLargestPossibleRegion();                                                               \
  }

#endif
